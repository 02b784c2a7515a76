import { GraphQLError, GraphQLScalarType, type GraphQLSchema, Kind } from 'graphql';

/** A global ID that was sent, taken apart. */
export interface GlobalId {
  /** The class of the record: `MergeRequest`, `Ci::Pipeline`. */
  readonly class: string;
  /** The number of the record, or the 40 hexadecimal digits of a discussion. */
  readonly key: string;
}

/** Thrown for a global ID that is malformed or of another class. */
export class WrongGlobalId extends GraphQLError {}

const NOTES = ['Note', 'DiffNote', 'DiscussionNote', 'LegacyDiffNote'];
const SNIPPETS = ['ProjectSnippet', 'PersonalSnippet', 'Snippet'];
const LABELS = ['ProjectLabel', 'GroupLabel', 'Label'];
const SUBJECTS = ['Issue', 'WorkItem', 'MergeRequest', ...SNIPPETS];

/** The classes that each scalar takes, and the name of its class in errors. */
const CLASSES: Readonly<Record<string, readonly [name: string, ...classes: string[]]>> = {
  AwardableID: ['Awardable', ...SUBJECTS, ...NOTES],
  CiRunnerID: ['Ci::Runner', 'Ci::Runner'],
  DiscussionID: ['Discussion', 'Discussion', 'DiffDiscussion', 'IndividualNoteDiscussion'],
  GroupID: ['Group', 'Group'],
  IssueID: ['Issue', 'Issue', 'WorkItem'],
  IterationID: ['Iteration', 'Iteration'],
  IterationsCadenceID: ['Iterations::Cadence', 'Iterations::Cadence'],
  JobID: ['CommitStatus', 'Ci::Build', 'Ci::Bridge', 'CommitStatus'],
  LabelID: ['Label', ...LABELS],
  MergeRequestID: ['MergeRequest', 'MergeRequest'],
  MilestoneID: ['Milestone', 'Milestone'],
  NoteID: ['Note', ...NOTES],
  NoteableID: ['Noteable', ...SUBJECTS],
  ProjectID: ['Project', 'Project'],
  SnippetID: ['Snippet', ...SNIPPETS],
  TimelogID: ['Timelog', 'Timelog'],
  UserID: ['User', 'User'],
  WorkItemID: ['WorkItem', 'WorkItem', 'Issue'],
  WorkItemsTypeID: ['WorkItems::Type', 'WorkItems::Type'],
};

/** `gid://gitlab/<Class>/<number>`, and for discussions their 40 hexadecimal digits. */
const FORM = /^gid:\/\/gitlab\/((?:[A-Z]\w*::)?[A-Z]\w*)\/(\d{1,9}|[0-9a-f]{40})$/;

/** The global ID of a record, as clients of today know it. */
export function gidOf(name: string, key: number | string): string {
  return `gid://gitlab/${name}/${key}`;
}

/** Takes a global ID apart. Throws WrongGlobalId where it is none, or of none of these classes. */
export function readGid(value: unknown, [name, ...classes]: readonly [string, ...string[]]): GlobalId {
  const [, found = '', key = ''] = (typeof value === 'string' && FORM.exec(value)) || [];
  if (!classes.includes(found)) {
    const shown = String(value).slice(0, 200);
    throw new WrongGlobalId(`"${shown}" does not represent an instance of ${name}`);
  }
  return { class: found, key };
}

/** Has the scalars for global IDs read what is sent as `GlobalId`, of their classes alone. */
export function readGlobalIds(schema: GraphQLSchema): void {
  for (const [name, classes] of Object.entries(CLASSES)) {
    const scalar = schema.getType(name);
    if (!(scalar instanceof GraphQLScalarType)) throw new Error(`There is no scalar ${name}`);
    scalar.coerceInputValue = (value) => readGid(value, classes);
    scalar.coerceInputLiteral = (node) => readGid('value' in node ? node.value : Kind.NULL, classes);
  }
}
