import fs from 'node:fs';
import path from 'node:path';
import { requireValid } from '#rest/engine/require_valid.ts';
import { type Examples, openapiDocument } from '#rest/openapi/document.ts';
import { routes } from '#rest/v4/index.ts';
import { schema } from '#schema/index.ts';

/** Holds the operations of all routes against the schema, and writes rest/openapi.json. */
for (const route of routes) requireValid(route, schema);
const examples: Examples = JSON.parse(
  fs.readFileSync(path.resolve(import.meta.dirname, '../rest/examples.json'), 'utf8'),
);
const file = path.resolve(import.meta.dirname, '../rest/openapi.json');
fs.writeFileSync(file, `${JSON.stringify(openapiDocument(routes, schema, examples), null, 1)}\n`);
