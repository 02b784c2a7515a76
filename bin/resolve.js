import * as nodeModule from 'node:module';
import { pathToFileURL } from 'node:url';

/**
 * Finds Gantry's own modules by the text of their imports alone. There are thousands of them, and looking for each on the disk,
 * with the package.json that it belongs to, takes a tenth of the start.
 *
 * @param {string} directory of `src`, `schema`, `rest`, `pages` and `mcp`: the checkout, or `dist` in a package
 * @param {'ts' | 'js'} extension of the files there; imports by `#` name the TypeScript in both
 */
export function resolveQuickly(directory, extension) {
  const base = `${pathToFileURL(directory).href}/`;
  const rooms = ['src/', 'schema/', 'rest/', 'pages/', 'mcp/'].map((room) => base + room);
  const format = extension === 'ts' ? 'module-typescript' : 'module';
  nodeModule.registerHooks?.({
    resolve(specifier, context, nextResolve) {
      const { parentURL = '' } = context;
      if (rooms.some((room) => parentURL.startsWith(room))) {
        const [, path] = /^#((?:src|schema|rest|pages|mcp)\/.+)\.ts$/.exec(specifier) ?? [];
        if (path !== undefined) return { url: `${base}${path}.${extension}`, format, shortCircuit: true };
        const isBeside = specifier.startsWith('.') && specifier.endsWith(`.${extension}`);
        if (isBeside) return { url: new URL(specifier, parentURL).href, format, shortCircuit: true };
      }
      return nextResolve(specifier, context);
    },
  });
}
