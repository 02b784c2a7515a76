import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { rolldown } from 'rolldown';
import { loadGraphiql } from './graphiql.ts';

/**
 * Makes the viewers of the REST API, of GraphQL, and of formulas and diagrams in texts, and the editor of files, in src/generated/viewer,
 * compressed as browsers get them: the server neither reads nor compresses their megabytes.
 */
const place = path.join(import.meta.dirname, '../src/generated/viewer');
const reader = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const { script, style } = await loadGraphiql();
const read = (name: string) => readFileSync(createRequire(import.meta.url).resolve(name), 'utf8');
const files = {
  'graphiql.js': script,
  'graphiql.css': layered(style),
  'swagger-ui-bundle.js': readFileSync(path.join(reader, 'swagger-ui-bundle.js')),
  'code_editor.js': await bundled('pages/viewers/editor.js'),
  'formulas.js': read('temml/dist/temml.min.js'),
  'diagram.html': frame(`${read('@mermaid-js/tiny/dist/mermaid.tiny.js')}\n${read('../pages/viewers/diagram.js')}`),
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

/**
 * A page that is one script, and runs no other: in its frame it has no origin, with which it could ask for a file. What else holds for it,
 * the server says (`src/entrances/web/pages/later_assets.ts`).
 */
function frame(script: string): string {
  const text = script.replaceAll('<!--', '\\x3C!--').replace(/<(?=\/?script)/gi, '\\x3C');
  const hash = createHash('sha256').update(text).digest('base64');
  return [
    '<!doctype html><meta charset="utf-8"><title>Diagram</title>',
    `<meta http-equiv="Content-Security-Policy" content="script-src 'sha256-${hash}'">`,
    '<style>body { margin: 0; text-align: center } svg { max-width: 100%; height: auto }</style>',
    `<body><script>${text}</script>`,
  ].join('\n');
}

/** A script with all that it imports, as one that is no module. */
async function bundled(input: string): Promise<string> {
  const bundle = await rolldown({ input: path.join(import.meta.dirname, '..', input) });
  const { output } = await bundle.generate({ format: 'iife', minify: true });
  await bundle.close();
  return output[0].code;
}
