// Loaded before every test file (bunfig.toml). By default fast-check makes about ten elements, whatever `maxLength` says.
import fc from "fast-check";

fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true });
