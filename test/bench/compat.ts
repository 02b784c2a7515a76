import { compare } from './compare.ts';
import { createDataset, token } from './dataset.ts';
import { graphql } from './documents.ts';
import type { Call } from './load.ts';
import { rest } from './measurements.ts';
import type { Options } from './options.ts';
import { comparisonTable } from './report.ts';
import { startServer } from './server.ts';

/** CPU of a translated document by that of the same query at `/graphql`, at the most. */
const TARGET = 1.3;

const USER = 'username name avatarUrl webUrl';

/** The same of the same issues, in both graphs. */
const OWN = `query Issues($ref: ProjectRef!) { project(ref: $ref) { issues(first: 20, orderBy: CREATED_AT, sort: DESC) {
  totalCount pageInfo { hasNextPage endCursor }
  nodes { databaseId iid title description state createdAt updatedAt webUrl confidential userNotesCount upvotes dueDate
    author { databaseId ${USER} } assignees { databaseId ${USER} } milestone { databaseId title dueDate } labels(first: 100) { nodes { databaseId isProjectLabel title color } } }
} } }`;
const OF_CLIENTS = `query Issues($path: ID!) { project(fullPath: $path) { issues(first: 20, sort: CREATED_DESC) {
  count pageInfo { hasNextPage endCursor }
  nodes { id iid title description state createdAt updatedAt webUrl confidential userNotesCount upvotes dueDate
    author { id ${USER} } assignees { nodes { id ${USER} } } milestone { id title dueDate } labels(first: 100) { nodes { id title color } } }
} } }`;

/** Measures what the translation of documents at /api/graphql costs: the same list of issues there and at /graphql. */
export async function measureCompat(
  { postgresUrl, postgres }: { postgresUrl: string; postgres: number },
  options: Options,
  print: (text: string) => void,
): Promise<void> {
  const databaseUrl = await createDataset(postgresUrl, 'bench_compat', options);
  const server = await startServer({ name: 'gantry', databaseUrl });
  try {
    const paths = await pathsOf(server.url, options.projects);
    const at = (n: number) => n % paths.length;
    const translated = (n: number): Call => {
      const body = JSON.stringify({ query: OF_CLIENTS, variables: { path: paths[at(n)] } });
      return { method: 'POST', path: '/api/graphql', headers: { 'PRIVATE-TOKEN': token }, body };
    };
    const own = (n: number) => graphql('Issues', OWN, { ref: paths[at(n)] });
    const sides = { ours: { ...server, call: own }, other: { ...server, call: translated } };
    const compared = await compare(sides, postgres, options);
    const title = `list of 20 issues, translated by own (at most ${TARGET})`;
    print(comparisonTable('/api/graphql', [{ title, target: undefined, ...compared }], options));
  } finally {
    await server.stop();
  }
}

async function pathsOf(url: string, projects: number): Promise<string[]> {
  const paths: string[] = [];
  for (let id = 1; id <= projects; id++) {
    const { path, headers } = rest(`projects/${id}`);
    const response = await fetch(`${url}${path}`, { headers: headers as Record<string, string> });
    if (!response.ok) throw new Error(`There is no project ${id}: ${response.status}`);
    paths.push(((await response.json()) as { path_with_namespace: string }).path_with_namespace);
  }
  return paths;
}
