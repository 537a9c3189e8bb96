// Files of swagger-ui-dist, imported as paths (`with { type: "file" }`).
declare module "swagger-ui-dist/*" {
  const path: string;
  export default path;
}
