import type { DocumentNode } from 'graphql';
import type { Words } from '#rest/engine/coerce.ts';
import type { ErrorCode } from '#src/platform/errors.ts';

/** What a route may make of its caller. */
export interface CallerFacts {
  readonly signedIn: boolean;
  readonly admin: boolean;
}

/** The readers of content that is sent as it is, which the composition root hands in. */
export type RawReader = 'blob' | 'archive' | 'snippet' | 'trace' | 'artifacts';

/** One row of a route table: which operation answers a method and path, and what deviates from the rules. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below /api/v4, with `:name` for a segment that fills the variable of that name. */
  readonly path: string;
  /** Other paths of the route, of which no document speaks. */
  readonly alsoAt?: readonly string[];
  readonly operation: DocumentNode;
  /** The sub-tree of the result that is the body: `project.issues`. A connection becomes a paginated array. */
  readonly result: string;
  /** 200 for GET, PUT and DELETE, 201 for POST when absent; 204 has no body. */
  readonly status?: number;
  /** `required` when absent. */
  readonly auth?: 'required' | 'optional';
  /** The ability that is checked before any parameter is (behaviour.md 3): on the project or group of `:id`, or on the server. */
  readonly precheck?: string;
  /** Parameters of the path that are numbers: anything else in their place is no route. */
  readonly numeric?: readonly string[];
  /** Parameters of the path that may hold slashes as they are. */
  readonly slashes?: readonly string[];
  /** Variables of the operation that follow from parameters and caller: which fields an answer has. */
  readonly derived?: Readonly<
    Record<string, (given: Readonly<Record<string, unknown>>, caller: CallerFacts) => boolean | string>
  >;
  /** The body, whatever the operation's result is. */
  readonly body?: object;
  /** The parameter that is a file; it comes in a multipart body. */
  readonly file?: string;
  /** Whether the body holds contents, and may be larger than others; `files` for those of a repository, which are the largest. */
  readonly contents?: true | 'files';
  /**
   * Parameters that go to git as they are, and may hold what the database cannot keep (NUL); `a.b` is key `b` of the records in
   * `a`.
   */
  readonly verbatim?: readonly string[];
  /** Whether the command takes turns of its own, which refuse callers sooner. */
  readonly bypassQueue?: true;
  /** Whether it hands out files of a repository, for which the scope `read_repository` is enough. */
  readonly filesOfRepository?: true;
  /** Instead of a record the content is sent that the reader of this name makes of the operation's result. */
  readonly raw?: RawReader;
  /**
   * The status of whatever the operation refuses because of a value, a conflict or a missing record; or the statuses of
   * single codes of errors.
   */
  readonly failure?: number | Readonly<Partial<Record<ErrorCode, number>>>;
  /** The answer where all was done and there is no record to show of it, with status 202. */
  readonly done?: object;
  /** What callers are told who see the record and may not do this, where it is not 403. */
  readonly refused?: { readonly status: number; readonly message: string };
  /** Parameters that hold several values separated by commas. */
  readonly commaSeparated?: readonly string[];
  /** Parameters that must not be blank where they are given. */
  readonly notBlank?: readonly string[];
  /** Statuses of refusals that only the REST API tells apart. */
  readonly alsoRefuses?: readonly number[];
  /** Parameters of which one must be present. */
  readonly atLeastOne?: readonly string[];
  /** Parameters of which all must be present or none. */
  readonly allOrNone?: readonly string[];
  /** Parameters that must not be given, and what is said of one that is. */
  readonly absent?: Readonly<Record<string, string>>;
  /** Keys that are left out of the record where their value is null; `a.b` is key `b` of the record, or each record, at `a`. */
  readonly omitNull?: readonly string[];
  /** The links to further pages have this parameter, unless it was given, with what the connection of the result has at the key. */
  readonly pinned?: { readonly parameter: string; readonly key: string };
  /** Headers that are `true` where the connection of the result is at the key. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Keys of the record, or of each record, whose numbers are texts, with so many decimals, or as many as they have and one at least. */
  readonly decimals?: Readonly<Record<string, number | 'all'>>;
  /** Keys of the record whose lists of records become one object, each record below the value that it has under this name. */
  readonly keyedBy?: Readonly<Record<string, string>>;
  /** Keys that stand for whichever of other keys of the record, or of each record, is not null; those are left out. */
  readonly either?: Readonly<Record<string, readonly string[]>>;
  /** The message of a 404 when the resource of that name is missing, where it is not the usual one. */
  readonly notFound?: Readonly<Record<string, string>>;
  /** The message of a conflict is a list with this one text. */
  readonly conflictsListed?: true;
  /** Validation errors are one string behind this text instead of an object (behaviour.md 1.5). */
  readonly validationPrefix?: string;
  /** Parameters whose lower bound is checked with the other parameters. */
  readonly minimum?: Readonly<Record<string, number>>;
  /** The only values of a parameter that is a number. */
  readonly allowed?: Readonly<Record<string, readonly number[]>>;
  /**
   * Parameters of enums of which the domain itself refuses what no value stands for, when it has looked at all else;
   * `a.b` is key `b` of the records in `a`.
   */
  readonly passUnknownEnum?: readonly string[];
  /** Parameters that take the numeric ID of a project, group or namespace alone, no path. */
  readonly numericIds?: readonly string[];
  /** The word by which a parameter says that it has no value, beside the blank. */
  readonly nullWord?: Readonly<Record<string, string>>;
  /** Names of parameters where they are not those of what they fill: a variable, or a field of an input, in snake_case. */
  readonly names?: Readonly<Record<string, string>>;
  /**
   * Words of parameters, with what would have to be given for the same: further ones of enums, and the only ones of parameters
   * of other types.
   */
  readonly words?: Readonly<Record<string, Words>>;
  /** Parameters with one value, which may also come as a list of one. */
  readonly onlyOne?: readonly string[];
  /** Parameters of which one may be given at most. */
  readonly exclusive?: readonly (readonly string[])[];
  /** Other names under which parameters are taken, and the parameters that they stand for. No document speaks of them. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Other names that the contract itself has for parameters, and the parameters that they stand for. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /** What the route does, where the schema's description of what it answers says something else. */
  readonly description?: string;
}
