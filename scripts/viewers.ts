import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { loadGraphiql } from './graphiql.ts';

/**
 * Makes the viewers of the REST API and of GraphQL in src/generated/viewer, compressed as browsers get them: the server neither
 * reads nor compresses their megabytes.
 */
const place = path.join(import.meta.dirname, '../src/generated/viewer');
const reader = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const { script, style } = await loadGraphiql();
const files = {
  'graphiql.js': script,
  'graphiql.css': layered(style),
  'swagger-ui-bundle.js': readFileSync(path.join(reader, 'swagger-ui-bundle.js')),
  'swagger-ui.css': layered(readFileSync(path.join(reader, 'swagger-ui.css'), 'utf8')),
};

mkdirSync(place, { recursive: true });
// Higher qualities take ten times as long for a twentieth less.
const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 };
await Promise.all(
  Object.entries(files).map(async ([name, content]) =>
    writeFileSync(path.join(place, `${name}.br`), await promisify(brotliCompress)(content, { params })),
  ),
);

/** Below the changes of pages/styles/viewers, and above everything else (`pages/engine/shared_assets.ts`). */
function layered(css: string): string {
  return `@layer third_party {\n${css}\n}`;
}
