import { readFileSync } from 'node:fs';
import {
  getIntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { openapiDocument } from '#rest/openapi/document.ts';
import { routes } from '#rest/v4/index.ts';
import { schema } from '#schema/index.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

/** Each part of the schema with its description. */
function parts(): [string, string | null | undefined][] {
  const own = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const builtIn = new Set(['String', 'Int', 'Float', 'Boolean', 'ID']);
  return own
    .filter(({ name }) => !builtIn.has(name))
    .flatMap((type) => {
      const inside: [string, string | null | undefined][] = [[type.name, type.description]];
      if (isEnumType(type))
        inside.push(...type.getValues().map((v) => [`${type.name}.${v.name}`, v.description] as [string, string]));
      if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) {
        for (const field of Object.values(type.getFields())) {
          inside.push([`${type.name}.${field.name}`, field.description]);
          const args = 'args' in field ? field.args : [];
          inside.push(
            ...args.map(
              (arg: { name: string; description?: string | null }) =>
                [`${type.name}.${field.name}(${arg.name})`, arg.description] as [string, string],
            ),
          );
        }
      }
      return inside;
    });
}

describe('The schema', () => {
  it('describes every type, field, argument and value', () => {
    const all = parts();
    expect(all.length).toBeGreaterThan(300);
    expect(all.filter(([, description]) => !description?.trim()).map(([name]) => name)).toEqual([]);
  });

  it('is the committed one', LONG, () => {
    const committed = readFileSync(packagePath('schema/schema.graphql'), 'utf8');
    expect(`${printSchema(lexicographicSortSchema(schema))}\n`).toBe(committed);
  });

  it('takes one input and gives one payload in each mutation, and speaks camelCase', () => {
    const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
    for (const { name, args, type } of mutations) {
      expect([name, args.map((arg) => arg.name)]).toEqual([name, ['input']]);
      expect(String(type)).toMatch(/Payload$/);
    }
    const names = parts().map(([name]) => name.split('.').at(-1) ?? '');
    expect(names.filter((name) => /^[a-z]/.test(name) && name.includes('_'))).toEqual([]);
  });

  it('is at /graphql/schema.graphql, for anybody, and not sent twice', async () => {
    const committed = readFileSync(packagePath('schema/schema.graphql'), 'utf8');
    const { status, headers, body } = await world.send('GET', '/graphql/schema.graphql', {});
    expect([status, headers['content-type'], body]).toEqual([200, 'text/plain; charset=utf-8', committed]);
    const again = await world.send('GET', '/graphql/schema.graphql', {
      headers: { 'If-None-Match': `${headers.etag}` },
    });
    expect(again.status).toBe(304);
  });

  it('passes its introspection query through /graphql', LONG, async () => {
    const { status, body } = await world.graphql(getIntrospectionQuery());
    expect(status).toBe(200);
    expect(body.errors).toBeUndefined();
    expect(body.data.__schema.types.map(({ name }: { name: string }) => name)).toContain('Issue');
  });
});

describe('The OpenAPI document', () => {
  it('is the committed one', LONG, () => {
    const [committed, examples] = ['rest/openapi.json', 'rest/examples.json'].map((file) =>
      JSON.parse(readFileSync(packagePath(file), 'utf8')),
    );
    expect(JSON.parse(JSON.stringify(openapiDocument(routes, schema, examples)))).toEqual(committed);
  });
});
