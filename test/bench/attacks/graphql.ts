import { getIntrospectionQuery } from 'graphql';
import type { RepositoryServer } from '../repository/server.ts';
import type { Attack } from './attack.ts';
import { sendOnce } from './sending.ts';

/** The attacks on /graphql. */
export const graphqlAttacks: Attack[] = [
  query('fragments that double, 0.8 KB', () => doubled(18, (name) => `...${name} ...${name}`)),
  query('fragments that double with lists', () =>
    doubled(12, (name) => `projects { nodes { id } } ...${name} ...${name}`),
  ),
  query('fragments that double 400 times', () => doubled(400, (name) => `...${name} ...${name}`)),
  query(
    'lists below lists without a size, 1 KB',
    () => `{ projects { nodes { ${'issues { nodes { project { '.repeat(3)}id${' } } }'.repeat(3)} } } }`,
  ),
  query('one field 4,900 times', () => `{ ${'version { version } '.repeat(1225)} }`),
  query('200 KB of one field', () => `{ ${'id '.repeat(66_000)} }`),
  query('brackets 60,000 deep', () => `{ project(ref: ${'['.repeat(60_000)}) { id } }`),
  query('introspection, as tools send it', () => getIntrospectionQuery()),
  query(
    'introspection of introspection',
    () =>
      `{ __schema { types { ${Array.from({ length: 40 }, (_, n) => `a${n}: fields { type { fields { name } } }`).join(' ')} } } }`,
  ),
  query(
    '100 projects with 100 issues each',
    () => '{ projects(first: 100) { nodes { issues(first: 100) { nodes { id } totalCount } } } }',
  ),
  query('nearly the whole cost of 25,000', () => nested(58), false),
  query('200 fields of 100 projects', () => {
    const fields = Array.from({ length: 100 }, (_, n) => `f${n}: webUrl`).join(' ');
    return `{ projects(first: 100) { nodes { ${fields} id name path description createdAt } } }`;
  }),
  query(
    'a value of 200 KB that is wrong',
    () => `{ project(ref: 1) { issues(first: "${'token'.repeat(40_000)}") { nodes { id } } } }`,
  ),
  {
    name: 'ten operations of that kind in one request',
    anonymous: false,
    prepare: async (server) => {
      await fill(server);
      return post(server, JSON.stringify(Array.from({ length: 10 }, () => ({ query: nested(58) }))), {
        token: server.token,
      });
    },
  },
  {
    name: 'documents of 200 KB, each another one',
    anonymous: true,
    prepare: async (server) => {
      let count = 0;
      return () => {
        count += 1;
        const padding = `"${'x'.repeat(200_000)}"`;
        return post(server, JSON.stringify({ query: `{ version { version } } # ${count}${padding}` }))();
      };
    },
  },
  {
    name: 'a document of 700 KB',
    anonymous: true,
    prepare: async (server) => post(server, JSON.stringify({ query: `{ ${'version { version } '.repeat(35_000)} }` })),
  },
  {
    name: 'variables of 250 KB of brackets',
    anonymous: true,
    prepare: async (server) => {
      const variables = `${'['.repeat(120_000)}${']'.repeat(120_000)}`;
      return post(server, `{"query": "{ version { version } }", "variables": {"a": ${variables}}}`);
    },
  },
  {
    name: 'multipart of 900 KB of small parts',
    anonymous: true,
    prepare: async (server) => {
      const part = '--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n\r\n';
      return post(server, `${part.repeat(900_000 / part.length)}--b--\r\n`, {
        type: 'multipart/form-data; boundary=b',
      });
    },
  },
];

function query(name: string, text: () => string, anonymous = true): Attack {
  return {
    name,
    anonymous,
    prepare: async (server) => {
      await fill(server);
      return post(server, JSON.stringify({ query: text() }), anonymous ? {} : { token: server.token });
    },
  };
}

const filled = new WeakSet<RepositoryServer>();

/** Public projects with issues, for what is asked of lists. */
export async function fill(server: RepositoryServer): Promise<void> {
  if (filled.has(server)) return;
  filled.add(server);
  for (let n = 0; n < 40; n += 1) {
    const { text } = await server.ask('projects', { name: `list${n}`, visibility: 'public' });
    const path = `projects/${JSON.parse(text).id}/issues`;
    for (let issue = 0; issue < 20; issue += 1) await server.ask(path, { title: `Issue ${issue}` });
  }
}

function post(
  { url }: RepositoryServer,
  body: string,
  { type = 'application/json', token }: { type?: string; token?: string } = {},
): () => Promise<string> {
  const headers = { 'Content-Type': type, ...(token === undefined ? {} : { 'PRIVATE-TOKEN': token }) };
  return () => sendOnce(`${url}/graphql`, { headers, body });
}

function nested(issues: number): string {
  return `{ projects(first: 100) { nodes { id name path webUrl issues(first: ${issues}) { nodes { id title state } } } } }`;
}

/** Fragments each of which spreads the next one twice. */
function doubled(levels: number, spread: (name: string) => string): string {
  const chain = Array.from({ length: levels }, (_, n) => `fragment f${n} on Query { ${spread(`f${n + 1}`)} }`);
  return `{ ...f0 } ${chain.join(' ')} fragment f${levels} on Query { version { version } }`;
}
