import { readFileSync } from 'node:fs';
import { getOperationAST, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '#schema/index.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const ada = await world.user({ username: 'ada' });
await world.user({ username: 'bob' });
const doc = readFileSync(packagePath('docs/graphql.md'), 'utf8');

/** The documents of a section, in their order. */
function documents(title: string): string[] {
  const [, section = ''] = doc.split(`## ${title}\n`);
  const [text = ''] = section.split(/^## /m);
  return [...text.matchAll(/```graphql\n(.*?)```/gs)].map(([, document = '']) => document);
}

const tasks = documents('Twelve tasks');

describe('The tasks of docs/graphql.md', () => {
  it('are twelve, one of which takes two documents', () => {
    expect([...doc.matchAll(/^\*\*\d+\. /gm)].length).toBe(12);
    expect(tasks.length).toBe(13);
  });

  it.each(tasks.map((document) => [/(\w+)\(|viewer/.exec(document.replace(/^\w* ?\(.*/, ''))?.[0] ?? '', document]))(
    '%s works as it is written',
    async (_name, text) => {
      const document = parse(text);
      expect(validate(schema, document)).toEqual([]);
      if (getOperationAST(document)?.operation === 'subscription') return;
      const { body: global } = await world.graphql('{ user(username: "bob") { id } }', {}, ada);
      const { body } = await world.graphql(text, { bob: global.data.user.id }, ada);
      expect(body.errors).toBeUndefined();
    },
  );
});
