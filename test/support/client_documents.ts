import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type DefinitionNode, Kind, parse, print, visit } from 'graphql';
import { expect } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import type { Json } from './http.ts';
import type { TestUser, World } from './world.ts';

const ROOT = packagePath('test/compat/documents');

/** The documents that stand for what a client sends, by client and operation: `jetbrains/getProject`. */
export function clientDocuments(): string[] {
  return globSync('*/*.graphql', { cwd: ROOT })
    .map((file) => file.replaceAll('\\', '/').replace(/\.graphql$/, ''))
    .filter((name) => !name.endsWith('/fragments'))
    .sort();
}

/** The text of a document, with those fragments of its client that it needs. */
export function clientDocument(client: string, operation: string): string {
  const read = (name: string) => parse(readFileSync(path.join(ROOT, client, `${name}.graphql`), 'utf8')).definitions;
  const shared = existsSync(path.join(ROOT, client, 'fragments.graphql')) ? read('fragments') : [];
  const definitions = [...read(operation)];
  for (const definition of definitions) {
    visit(definition, {
      FragmentSpread: ({ name }) => {
        const isIt = (one: DefinitionNode) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === name.value;
        const found = definitions.some(isIt) ? undefined : shared.find(isIt);
        if (found) definitions.push(found);
      },
    });
  }
  return print({ kind: Kind.DOCUMENT, definitions });
}

/** Sends the documents of a client to /api/graphql, with a bearer token as clients do; anonymous without one. */
export function clientOf(world: World, client: string, who?: TestUser | string) {
  const token = typeof who === 'object' ? who.token : who;
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  /** The whole answer. `places` are the words of the document that a client replaces before it sends it. */
  const ask = async (operation: string, variables: Json = {}, places: Record<string, string> = {}): Promise<Json> => {
    let query = clientDocument(client, operation);
    for (const [word, value] of Object.entries(places)) query = query.replaceAll(word, value);
    const { status, body } = await world.send('POST', '/api/graphql', { headers, body: { query, variables } });
    expect([status, typeof body]).toEqual([200, 'object']);
    return body;
  };
  return {
    ask,
    /** The data of an answer that must be without errors. */
    data: async (operation: string, variables: Json = {}, places: Record<string, string> = {}): Promise<Json> => {
      const body = await ask(operation, variables, places);
      expect(body.errors).toBeUndefined();
      return body.data;
    },
  };
}

/** The number in a global ID of a class, as clients take it out of it. */
export function numberIn(gid: string, name: string): number {
  expect(gid).toMatch(/^gid:\/\/gitlab\/([^/]+)\/(\d+)$/);
  expect(gid.startsWith(`gid://gitlab/${name}/`)).toBe(true);
  return Number(gid.split('/').at(-1));
}

/** A global ID. */
export const gid = (name: string, id: number | string) => `gid://gitlab/${name}/${id}`;

/** A time of REST as this graph has it: without fractions of seconds. */
export const time = (of: string | null): string | null => (of === null ? null : of.replace(/\.\d+Z$/, 'Z'));

/** A user of REST as clients select them most. */
export const person = ({ id, username, name, avatar_url, web_url }: Json) => ({
  id: gid('User', id),
  username,
  name,
  avatarUrl: avatar_url,
  webUrl: web_url,
});
