export interface ViewProps {
  /** Values of the path's parameters: of `block/:height` the height. */
  readonly params: Readonly<Record<string, string>>;
}
