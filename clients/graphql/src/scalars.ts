/** The types of the scalars of the schema: what a server sends, and what it accepts. */
export interface Scalars {
  /** A timestamp in ISO 8601 with the UTC offset of its author. */
  CommitDateTime: string;
  /** A day: `YYYY-MM-DD`. */
  Date: string;
  /** A timestamp in ISO 8601, in UTC with milliseconds. */
  DateTime: string;
  /** A group by full path, global ID or numeric ID. */
  GroupRef: string | number;
  /** Sanitised HTML. */
  HTML: string;
  /** Any JSON value. */
  JSON: unknown;
  /** A whole number of up to 64 bits, as sizes in bytes. */
  Long: number;
  /** A group or the personal namespace of a user, by full path, global ID or numeric ID. */
  NamespaceRef: string | number;
  /** A project by full path, global ID or numeric ID. */
  ProjectRef: string | number;
  /** The full hash of an object of git, in lower case. */
  Sha: string;
  /** An address with its scheme. */
  URL: string;
  /** A file to send. */
  Upload: Blob;
  /** A user by global or numeric ID, or `NONE` or `ANY`. */
  UserMatch: string | number;
}

/** The same for graphql-codegen, as the value of its option `scalars`. The preset sets it. */
export const scalars = {
  CommitDateTime: 'string',
  Date: 'string',
  DateTime: 'string',
  GroupRef: { input: 'string | number', output: 'never' },
  HTML: 'string',
  JSON: 'unknown',
  Long: 'number',
  NamespaceRef: { input: 'string | number', output: 'never' },
  ProjectRef: { input: 'string | number', output: 'never' },
  Sha: 'string',
  URL: 'string',
  Upload: { input: 'Blob', output: 'never' },
  UserMatch: { input: 'string | number', output: 'never' },
} satisfies Record<keyof Scalars, string | { input: string; output: string }>;
