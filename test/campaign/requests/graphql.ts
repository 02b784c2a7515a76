import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLObjectType, type GraphQLSchema } from 'graphql';
import { packagePath } from '#src/platform/package_root.ts';
import { randomQuery, type Values } from '../../support/random_documents.ts';
import { anyText, pick, type Random } from './values.ts';

const schemaOf = (file: string) => buildSchema(readFileSync(packagePath(file), 'utf8'), { assumeValid: true });

/** The same schema with its mutations in the place of its queries. */
function mutationsOf(schema: GraphQLSchema): GraphQLSchema {
  const view = Object.create(schema) as GraphQLSchema;
  view.getQueryType = () => schema.getMutationType() as GraphQLObjectType;
  return view;
}

const text = (value: string) => JSON.stringify(value);
const id = (type: string, number: number) => text(Buffer.from(`${type}:${number}`).toString('base64url'));
const gid = (type: string, number: number) => text(`gid://gitlab/${type}/${number}`);
const TEXTS = [
  '',
  'a',
  'main',
  'v1.0.0',
  'README.md',
  'bug',
  'ada',
  'orchard',
  'orchard/apples',
  '%',
  '\0',
  '\ud800',
  '*',
  '[(',
  '../',
  'a'.repeat(300),
  'None',
  '2026-11-30',
  '0 4 * * *',
  'constructor',
  '/close',
];

const SHARED: Values = {
  first: ['0', '1', '2', '3', '100', '-1', '$two'],
  last: ['1', '3'],
  after: ['""', '"x"', 'null', '"MQ"'],
  before: ['""', '"x"'],
  sha: ['"main"', '"v1.0.0"', '"0000000000000000000000000000000000000000"'],
  ref: ['"main"', '"none"', '""'],
  path: ['""', '"README.md"', '"none"', '"src"'],
  limit: ['10', '0', '-1', '1000'],
  offset: ['0', '3', '-1', '100000'],
  Boolean: ['true', 'false', '$yes', '$no', 'null'],
  Int: ['0', '1', '2', '30', '$two', '-1', '2147483647', 'null'],
  Float: ['0', '1.5', '-1e300'],
  String: TEXTS.map(text),
  DateTime: ['"2026-11-30T12:00:00Z"', '"2031-01-01T00:00:00+02:00"', '"x"', '"9999-12-31T23:59:59Z"'],
  Date: ['"2026-11-30"', '"2026-02-30"', '"0000-01-01"'],
  JSON: ['{a: [1, "b", null]}', '"a"', '[]'],
};

const TYPES = [
  'Project',
  'Group',
  'User',
  'Issue',
  'MergeRequest',
  'Note',
  'Label',
  'Milestone',
  'Pipeline',
  'Job',
  'Snippet',
  'Namespace',
  'Hook',
  'Runner',
  'Member',
  'Todo',
  'Environment',
  'Release',
  'Discussion',
  'Board',
  'Event',
];

/** What is called `ref` there is a project or group as well. */
const { ref: _ref, ...OF_BOTH } = SHARED;

const OWN: Values = {
  ...OF_BOTH,
  ProjectRef: ['1', '1', '"orchard/apples"', '2', '5', '"harbor/ledger"', '999999', '"a/b/c"'],
  GroupRef: ['"orchard"', '"harbor"', '"orchard/tools"', '2', '999999'],
  NamespaceRef: ['"orchard"', '"ada"', '2', '"none"'],
  UserMatch: ['"ada"', '2', '"NONE"', '"ANY"'],
  Sha: ['"0000000000000000000000000000000000000000"', '"x"'],
  URL: ['"http://127.0.0.1:1/"', '"http://gantry.invalid/"', '"x"'],
  CommitDateTime: ['"2026-11-30T12:00:00Z"', '"x"'],
  iid: ['1', '2', '8', '999'],
  databaseId: ['1', '2', '3'],
  userId: ['1', '2', '7'],
  ID: [...TYPES.flatMap((type) => [id(type, 1), id(type, 2), id(type, 999)]), '"x"', '""', '"1"'],
};

const COMPAT: Values = {
  ...SHARED,
  fullPath: ['"orchard/apples"', '"orchard"', '"harbor/ledger"', '"ada"', '""', '"no/where"'].concat(
    '"orchard/apples"',
  ),
  projectPath: ['"orchard/apples"', '"harbor/ledger"'],
  iid: ['"1"', '"2"', '"8"', '"x"', '"99999999999"'],
  ID: [...TYPES.flatMap((type) => [gid(type, 1), gid(type, 2)]), '"x"', gid('Issue', 99_999)],
  MergeRequestID: [gid('MergeRequest', 1), gid('MergeRequest', 99), gid('Issue', 1)],
  IssueID: [gid('Issue', 1), gid('Issue', 99_999), '"x"'],
  WorkItemID: [gid('WorkItem', 1), gid('WorkItem', 4)],
  UserID: [gid('User', 1), gid('User', 2)],
  ProjectID: [gid('Project', 1), gid('Project', 5)],
  NoteableID: [gid('Issue', 1), gid('MergeRequest', 1)],
  Time: ['"2031-01-02T03:04:05Z"', '"yesterday"'],
};

/** One of the two schemas, with what documents are generated from. */
interface Side {
  path: string;
  reads: GraphQLSchema;
  writes: GraphQLSchema | null;
  values: Values;
  often: readonly string[];
}

const sideOf = (path: string, file: string, values: Values, often: readonly string[]): Side => {
  const reads = schemaOf(file);
  return { path, reads, writes: reads.getMutationType() ? mutationsOf(reads) : null, values, often };
};

let sides: readonly Side[] | undefined;

/** Those of our own graph and of the one that v4's clients know. */
function both(): readonly Side[] {
  sides ??= [
    sideOf('/graphql', 'schema/schema.graphql', OWN, [
      'project',
      'projects',
      'group',
      'groups',
      'viewer',
      'user',
      'users',
    ]),
    sideOf('/api/graphql', 'compat/schema.graphql', COMPAT, [
      'project',
      'namespace',
      'group',
      'currentUser',
      'issue',
      'mergeRequest',
    ]),
  ];
  return sides;
}

export interface GeneratedDocument {
  path: string;
  body: string;
}

/** A document for one of the two schemas: most are valid. */
export function nextDocument(random: Random, onlyReads = false): GeneratedDocument {
  const side = pick(random, both());
  const isWrite = !onlyReads && side.writes !== null && random() < 0.4;
  const schema = isWrite && side.writes ? side.writes : side.reads;
  const seed = Math.floor(random() * 2 ** 31);
  let query = randomQuery(schema, side.values, seed, isWrite ? [] : side.often);
  if (isWrite) query = query.replace('query Random', 'mutation Random');
  if (random() < 0.1) query = broken(random, query);
  const variables = random() < 0.95 ? { yes: true, no: false, two: 2 } : { yes: anyText(random), no: null, two: [2] };
  return { path: side.path, body: JSON.stringify({ query, variables }) };
}

/** A document that is no longer quite one. */
function broken(random: Random, query: string): string {
  const at = Math.floor(random() * query.length);
  const kind = Math.floor(random() * 6);
  if (kind === 0) return query.slice(0, at);
  if (kind === 1) return query.slice(0, at) + anyText(random).slice(0, 100) + query.slice(at);
  if (kind === 2) return query.slice(0, at) + query.slice(at + 1 + Math.floor(random() * 20));
  if (kind === 3)
    return query.replace('{', '{ __schema { types { name fields { name type { name ofType { name } } } } } ');
  if (kind === 4) return `${query} ${query}`;
  return (
    query.slice(0, at) +
    pick(random, ['{', '}', '(', ')', '$', '@', '...', '"""', '@defer', '@stream(initialCount: 0)', '@include', '# ']) +
    query.slice(at)
  );
}
