// Files imported as text or as paths (`with { type: "text" }`, `with { type: "file" }`).
declare module "*.graphql" {
  const text: string;
  export default text;
}
declare module "*.proto" {
  const text: string;
  export default text;
}
declare module "graphiql/graphiql.css" {
  const path: string;
  export default path;
}
declare module "*.min.js" {
  const path: string;
  export default path;
}
