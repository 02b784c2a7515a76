import fs from 'node:fs';
import path from 'node:path';
import { openapiDocument } from '#rest/engine/openapi.ts';
import { routes } from '#rest/v4/index.ts';
import { schema } from '#schema/index.ts';

/** Writes rest/openapi.json. */
const file = path.resolve(import.meta.dirname, '../rest/openapi.json');
fs.writeFileSync(file, `${JSON.stringify(openapiDocument(routes, schema), null, 2)}\n`);
