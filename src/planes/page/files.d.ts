// The page's file, imported as a path (`with { type: "file" }`).
declare module "*.pack" {
  const path: string;
  export default path;
}
