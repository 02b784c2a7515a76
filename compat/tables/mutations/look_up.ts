import type { GlobalId } from '#compat/engine/global_id.ts';
import { type Declared, Missing, Refused } from '#compat/engine/mutation.ts';
import type { Given, Row } from '#compat/engine/table.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { FullPath } from '#schema/refs.ts';

const LABELS = '{ ... on Label { databaseId title project { fullPath } group { fullPath } } }';

/** What mutations look up before they run: the type of the variable, and what is read by it. Both have the name of the part. */
const PARTS = {
  project: ['ProjectRef!', 'project(ref: $project) { fullPath }'],
  issue: ['ID!', 'issue: node(id: $issue) { ... on Issue { iid project { databaseId fullPath } } }'],
  issues: ['[ID!]!', 'issues: nodes(ids: $issues) { ... on Issue { databaseId } }'],
  labels: ['[ID!]!', `labels: nodes(ids: $labels) ${LABELS}`],
  removedLabels: ['[ID!]!', `removedLabels: nodes(ids: $removedLabels) ${LABELS}`],
  mergeRequest: ['ID!', 'mergeRequest: node(id: $mergeRequest) { ... on MergeRequest { iid } }'],
  snippet: ['ID!', 'snippet: node(id: $snippet) { ... on Snippet { databaseId project { databaseId } } }'],
} as const satisfies Record<string, readonly [type: string, selection: string]>;

type Part = keyof typeof PARTS;

/** A look-up of several parts, each with its variable, made of the input of the mutation. What is not found is null. */
export function lookUp(parts: Partial<Record<Part, (input: Given) => unknown>>): NonNullable<Declared['lookup']> {
  const entries = Object.entries(parts);
  const wanted = entries.map(([part]) => PARTS[part as Part]);
  const variables = entries.map(([part], index) => `$${part}: ${wanted[index]?.[0]}`);
  return {
    query: `query (${variables.join(', ')}) { ${wanted.map(([, selection]) => selection).join(' ')} }`,
    variables: (input) => Object.fromEntries(entries.map(([part, of]) => [part, of(input)])),
  };
}

/** The types of the core graph by the classes of global IDs, where they have other names. */
const TYPES: Readonly<Record<string, string>> = {
  DiffNote: 'Note',
  DiscussionNote: 'Note',
  GroupLabel: 'Label',
  LegacyDiffNote: 'Note',
  PersonalSnippet: 'Snippet',
  ProjectLabel: 'Label',
  ProjectSnippet: 'Snippet',
  WorkItem: 'Issue',
};

/** The ID that a record has in the core graph. */
export function coreId({ class: name, key }: GlobalId): string {
  return toGlobalId((TYPES[name] ?? name) as Parameters<typeof toGlobalId>[0], Number(key));
}

/** Those of several records. */
export const idsOf = (ids: readonly GlobalId[] | null | undefined): string[] => (ids ?? []).map(coreId);

/** The number in a global ID as text, which inputs of the core graph take for an ID; null and undefined stay. */
export function key<None extends null | undefined>(id: GlobalId | None): string | None {
  return id ? id.key : id;
}

/** A full path as such, even if it is made of digits. */
export function pathOf(path: unknown): FullPath {
  return new FullPath(String(path));
}

/** The number of a record within its project, which is sent as text; 0, which none has, for other text. */
export function iidOf(iid: unknown): number {
  return /^\d{1,9}$/.test(String(iid)) ? Number(iid) : 0;
}

/** The values that were given. Null is kept, as it clears what it is given for. */
export function set(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** The project and number of a found issue, as inputs name it. Throws Missing where it was not found. */
export function issueOf(found: unknown): { project: string; iid: number } {
  const { iid, project } = (found ?? {}) as { iid?: number; project?: { databaseId: number } };
  if (iid === undefined || !project) throw new Missing();
  return { project: String(project.databaseId), iid };
}

interface FoundLabel {
  databaseId: number;
  title: string;
  project: { fullPath: string } | null;
  group: { fullPath: string } | null;
}

/**
 * The titles of found labels of a found project, or of a group around it. Throws Missing where one was not found or the project was not,
 * and Refused for a label from elsewhere.
 */
export function titlesOf(labels: unknown, project: unknown): string[] {
  const { fullPath } = (project ?? {}) as { fullPath?: string };
  if (fullPath === undefined) throw new Missing();
  return ((labels ?? []) as (FoundLabel | null)[]).map((label) => {
    if (label?.title === undefined) throw new Missing();
    const isOfProject = label.project?.fullPath === fullPath;
    const isOfGroup = label.group !== null && fullPath.startsWith(`${label.group.fullPath}/`);
    if (!isOfProject && !isOfGroup) throw new Refused(`Label ${label.databaseId} does not belong to the project`);
    return label.title;
  });
}

/** Throws Missing where one of several records that were looked for is not there. */
export function requireAll(found: unknown): readonly Row[] {
  return ((found ?? []) as (Row | null)[]).map((one) => {
    if (!one || Object.keys(one).length === 0) throw new Missing();
    return one;
  });
}
