import { getIntrospectionQuery } from 'graphql';
import type { RepositoryServer } from '../repository/server.ts';
import type { Attack } from './attack.ts';
import { fill } from './graphql.ts';
import { sendOnce } from './sending.ts';

/** Characters of a document at most, and what an operation of a user may count. */
const LENGTH = 10_000;
const COMPLEXITY = 250;

/** The attacks on /api/graphql, with documents of the size that is admitted. */
export const compatAttacks: Attack[] = [
  attack('lists below lists, with notes', () => ({
    query: `{ projects(first: 100) { nodes { id name issues(first: 100) { nodes { id title description
      labels { nodes { id title } } notes { nodes { id body author { id username } } } } } } } }`,
  })),
  attack(
    'lists below lists, anonymous',
    () => ({
      query:
        '{ projects(first: 100) { nodes { id name issues(first: 100) { nodes { id title state author { username } } } } } }',
    }),
    true,
  ),
  attack('the same list by as many names as there may be', () => ({
    query: `{ ${times(Math.floor(COMPLEXITY / 6), (n) => `a${n}: project(fullPath: "root/threads") { issues(first: 100) { nodes { title description webUrl } } }`)} }`,
  })),
  attack('threads by as many names as there may be', () => ({
    query: `{ ${times(24, (n) => `a${n}: project(fullPath: "root/threads") { issue(iid: "${n + 1}") { discussions { nodes { id notes { nodes { id body url } } } } } }`)} }`,
  })),
  attack('one value of each issue by as many names as there may be', () => ({
    query: `{ projects(first: 100) { nodes { issues(first: 100) { nodes { ${times(230, (n) => `f${n}: webUrl`)} } } } } }`,
  })),
  attack('ten operations in one request', () =>
    Array.from({ length: 10 }, () => ({
      query: '{ projects(first: 100) { nodes { id issues(first: 100) { nodes { id title description } } } } }',
    })),
  ),
  attack('a valid document of 10,000 characters, each time another one', (count) => ({
    query: padded(`{ ${times(120, (n) => `a${count}x${n}: currentUser { username }`)} }`, count),
  })),
  attack(
    'an invalid document of 10,000 characters, each time another one',
    (count) => ({
      query: padded(`{ ${times(400, (n) => `a${count}x${n}: nothing${n}`)} }`, count),
    }),
    true,
  ),
  attack(
    'a document that is too complex, each time another one',
    (count) => ({
      query: padded(`{ ${times(300, (n) => `a${count}x${n}: currentUser { id }`)} }`, count),
    }),
    true,
  ),
  attack(
    'fragments that double',
    () => {
      const chain = times(60, (n) => `fragment f${n} on Query { ...f${n + 1} ...f${n + 1} }`);
      return { query: `{ ...f0 } ${chain} fragment f60 on Query { metadata { version } }` };
    },
    true,
  ),
  attack('introspection, as tools send it', () => ({ query: getIntrospectionQuery() }), true),
  attack(
    'introspection of introspection',
    () => ({
      query: `{ __schema { types { ${times(40, (n) => `a${n}: fields { type { fields { name } } }`)} } } }`,
    }),
    true,
  ),
];

type Sent = { readonly query: string };

/** @param next makes what is sent, by how often it was made before */
function attack(name: string, next: (count: number) => Sent | readonly Sent[], anonymous = false): Attack {
  return {
    name: `/api/graphql: ${name}`,
    anonymous,
    prepare: async (server) => {
      await fill(server);
      await fillThreads(server);
      const headers = { 'Content-Type': 'application/json', ...(anonymous ? {} : { 'PRIVATE-TOKEN': server.token }) };
      let count = 0;
      return () => sendOnce(`${server.url}/api/graphql`, { headers, body: JSON.stringify(next(count++)) });
    },
  };
}

function times(count: number, make: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => make(n)).join(' ');
}

/** A document of the greatest length, which no other has. */
function padded(text: string, count: number): string {
  return `${text.slice(0, LENGTH - 20)} #${count}`.padEnd(LENGTH, '.');
}

const filled = new WeakSet<RepositoryServer>();

/** A project whose issues have long descriptions and ten notes each. */
async function fillThreads(server: RepositoryServer): Promise<void> {
  if (filled.has(server)) return;
  filled.add(server);
  const { text } = await server.ask('projects', { name: 'threads', visibility: 'public' });
  const path = `projects/${JSON.parse(text).id}/issues`;
  for (let issue = 1; issue <= 40; issue += 1) {
    await server.ask(path, { title: `Issue ${issue}`, description: 'A line of text. '.repeat(120) });
    for (let note = 0; note < 10; note += 1) await server.ask(`${path}/${issue}/notes`, { body: `Note ${note}` });
  }
}
