import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from '@babel/core';

const require = createRequire(import.meta.url);
const runtime = pathToFileURL(require.resolve('relay-runtime')).href;

// Does for Node what bundlers do with Relay's code: `graphql` tags become the artifacts of relay-compiler, which name each
// other without the ending of their files, and relay-runtime, which is CommonJS, has its exports by name.
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'relay-runtime' && context.conditions.includes('import')) {
      return { url: `${runtime}?named`, format: 'module', shortCircuit: true };
    }
    return next(specifier.endsWith('.graphql') ? `${specifier}.ts` : specifier, context);
  },
  load(url, context, next) {
    if (url === `${runtime}?named`) return { format: 'module', source: named(), shortCircuit: true };
    const loaded = next(url, context);
    if (loaded.format !== 'module-typescript' || loaded.source == null) return loaded;
    return { ...loaded, source: compiled(fileURLToPath(url), loaded.source.toString()) };
  },
});

function named(): string {
  const names = Object.keys(require('relay-runtime')).join(', ');
  return `import runtime from ${JSON.stringify(runtime)}; export const { ${names} } = runtime;`;
}

function compiled(filename: string, source: string): string {
  const result = transformSync(source, {
    filename,
    configFile: false,
    parserOpts: { plugins: ['typescript'] },
    plugins: [['relay', { eagerEsModules: true }]],
  });
  return result?.code ?? source;
}
