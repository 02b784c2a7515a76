import type { DocumentNode } from 'graphql';
import type { Words } from '#rest/engine/coerce.ts';
import type { ErrorCode } from '#src/platform/errors.ts';

/** The facts about the caller that a route may use. */
export interface CallerFacts {
  readonly signedIn: boolean;
  readonly admin: boolean;
}

/** The readers of content that is sent as it is, passed in by the composition root. */
export type RawReader =
  | 'blob'
  | 'archive'
  | 'snippet'
  | 'text'
  | 'trace'
  | 'artifacts'
  | 'artifact'
  | 'package'
  | 'project_avatar'
  | 'group_avatar'
  | 'project_export'
  | 'group_export'
  | 'placeholder_table'
  | 'upload';

/** Names what is wrong with parameters, as they were sent. */
export type Check = (given: Readonly<Record<string, unknown>>) => string[];

/** One row of a route table: the operation for a method and path, and deviations from the rules. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below /api/v4; `:name` is a segment that fills the variable of that name. */
  readonly path: string;
  /** Undocumented other paths of the route. */
  readonly alsoAt?: readonly string[];
  readonly operation: DocumentNode;
  /** The subtree of the result that is the body: `project.issues`. A connection becomes a paginated array. */
  readonly result: string;
  /**
   * Where the operation's result has a text that changes with the body, for the `ETag`. The operation gets those that the client
   * has as `known_versions`, and has no result if its own is among them, which is a 304.
   */
  readonly version?: string;
  /** Defaults to 200 for GET, PUT, PATCH and DELETE, 201 for POST; 204 has no body. */
  readonly status?: number;
  /** The status of HEAD, if not that of GET. */
  readonly headStatus?: 204;
  /** Where the answer to a GET of the path says when the record changed last, for `If-Unmodified-Since` of a DELETE; `updated_at` if absent. */
  readonly changedAt?: string;
  /** Defaults to `required`. */
  readonly auth?: 'required' | 'optional';
  /** The ability that is checked before any parameter (behaviour.md 3): on the project or group of `:id`, or on the server. */
  readonly precheck?: string;
  /** Path parameters that are numbers: other values do not match the route. */
  readonly numeric?: readonly string[];
  /** Path parameters that may contain unescaped slashes. */
  readonly slashes?: readonly string[];
  /** Variables of the operation derived from parameters and caller, such as which fields a response has, or from all that was sent. */
  readonly derived?: Readonly<
    Record<
      string,
      (
        given: Readonly<Record<string, unknown>>,
        caller: CallerFacts,
        sent: Readonly<Record<string, unknown>>,
      ) => boolean | string | object | null
    >
  >;
  /** Keys that the record of the body is within, from the outermost. */
  readonly wrapIn?: readonly string[];
  /** Keys of the record, or of each record, that always have the same value, in addition to those of the operation's result. */
  readonly constants?: object;
  /** The body, regardless of the operation's result; none if it has no keys. */
  readonly body?: object;
  /** The parameter that is a file in a multipart body. */
  readonly file?: string;
  /** Further parameters that are files there, of the same largest size. */
  readonly moreFiles?: readonly string[];
  /** Whether the file is the archive of a project, which may be larger than others. */
  readonly archive?: true;
  /** Whether the body contains file contents, and so may be larger; `files` for those of a repository, which are the largest. */
  readonly contents?: true | 'files';
  /**
   * Parameters passed to git as they are, which may contain what the database cannot store (NUL); `a.b` is key `b` within `a`.
   */
  readonly verbatim?: readonly string[];
  /** Whether the command has a queue of its own, which rejects callers sooner. */
  readonly bypassQueue?: true;
  /** Whether a POST only reads, so that the scope `read_api` suffices. */
  readonly reads?: true;
  /** Whether it serves files of a repository, for which the scope `read_repository` suffices. */
  readonly filesOfRepository?: true;
  /** What it does, where a scope of its own suffices (people-and-projects.md, Rules 2). */
  readonly purpose?: string;
  /** Sends the content that the reader of this name makes from the operation's result, instead of a record. */
  readonly raw?: RawReader;
  /** The parameter that a body is in place of an object with it: a JSON text. */
  readonly text?: string;
  /** The parameter that is the whole body, of any type and size, which is stored while it comes, before the operation. */
  readonly upload?: string;
  /** Whether a token is accepted as the password of Basic authentication, whatever the user name. */
  readonly basic?: true;
  /**
   * Whether the token of a running job is accepted, for its user within the project of the job and where that lets it in (code-and-ci.md R4);
   * `own` where the route is about the job itself.
   */
  readonly jobToken?: true | 'own';
  /** Whether a deploy token is accepted, within its scopes (people-and-projects.md, Rules 3). */
  readonly deployToken?: true;
  /** Redirects, with status 302 and no body, to this address, made of the text that the operation found. */
  readonly redirect?: (found: string, asked: Redirected) => string;
  /** The status of all errors about a value, a conflict or a missing record; or the statuses of particular error codes. */
  readonly failure?: number | Readonly<Partial<Record<ErrorCode, number>>>;
  /** The body, with status 202, if all was done and there is no record to show; none if it has no keys. */
  readonly whenNoRecord?: object;
  /** Keys that this body has besides, with lists of the operation's result, where they are not empty. */
  readonly withNoRecord?: Readonly<Record<string, string>>;
  /** The status of that response, if not 202. */
  readonly noRecordStatus?: number;
  /** The parameter with which nothing is changed: the response is then `success` under its name, with status 200. */
  readonly dryRun?: string;
  /** The response to callers who see the record but may not do this, if not 403. */
  readonly forbidden?: { readonly status: number; readonly message: string };
  /**
   * The response when nothing changed, as the record was in the wanted state already: which key of the operation's result is false then;
   * 304 without a body unless a status and a message are given, or where the result has the message.
   */
  readonly whenUnchanged?: {
    readonly at: string;
    readonly status: number;
    readonly message?: string;
    readonly messageAt?: string;
  };
  /** Whether the body is null in place of `false`. */
  readonly nullWhenFalse?: true;
  /** Response when the result is null. */
  readonly whenNull?: { readonly status: number; readonly message: string };
  /** Parameters with several values separated by commas. */
  readonly commaSeparated?: readonly string[];
  /** Error statuses that only the REST API distinguishes. */
  readonly alsoRefuses?: readonly number[];
  /** Parameters of which at least one must be present; those that the operation does not have are enough, too, and change nothing. */
  readonly atLeastOne?: readonly string[];
  /**
   * Parameters of today that Gantry does not have, and refuses, as without them something else would be done than was asked; with the
   * values that say what holds anyway. Empty ones count as absent.
   */
  readonly unsupported?: Readonly<Record<string, readonly string[]>>;
  /** What is wrong with the parameters of a row, or with several of them together, that no other option says. */
  readonly check?: Check;
  /** Keys that are omitted from the record if null; `a.b` is key `b` of the record, or each record, at `a`. */
  readonly omitNull?: readonly string[];
  /** Keys that are omitted from the record, or each record, if their list is empty; `omitNull` names them, too. */
  readonly omitEmpty?: readonly string[];
  /** Keys that are, in place of null, an object with these keys, which are null. */
  readonly blank?: Readonly<Record<string, readonly string[]>>;
  /** Keys that are omitted from the record where its key of this name is false; `a.b` is key `b` of the records at `a`. */
  readonly omitUnless?: Readonly<Record<string, readonly string[]>>;
  /** The links to further pages add this parameter, unless it was given, with the value of the result's connection at the key. */
  readonly pinned?: { readonly parameter: string; readonly key: string };
  /** Headers that are `true` if the result, such as a connection, is true at the key. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Headers with values of the record at that place of the operation's result; none where a value is null. */
  readonly headersOf?: { readonly at: string; readonly headers: Readonly<Record<string, string>> };
  /**
   * Keys of the record, or each record, whose numbers become texts, with so many decimals, or as many as needed but at least one;
   * `a.b` is key `b` of the record at `a`.
   */
  readonly decimals?: Readonly<Record<string, number | 'all'>>;
  /** Keys of the record, or each record, whose lists of records become one object, keyed by the property of this name. */
  readonly keyedBy?: Readonly<Record<string, string>>;
  /** The list becomes one object: of each record the value at the second key, under that at the first. */
  readonly pairs?: readonly [key: string, value: string];
  /** How the list is paged by its records, if `pagination=keyset` asks for that; the operation then selects `pageInfo`. */
  readonly keyset?: Keyset;
  /** The key of each record of which the own keys, of another record, take its place. */
  readonly spread?: string;
  /** Keys that stand for whichever of other keys of the record, or of each record, is not null; the others are omitted. */
  readonly firstNonNull?: Readonly<Record<string, readonly string[]>>;
  /** Keys of each record whose value is that of another key, a connection, where the operation has that: `labels` of `label_details`. */
  readonly replaceKey?: Readonly<Record<string, string>>;
  /** The response when the resource of that name is missing, if not a 404. */
  readonly missing?: Readonly<Record<string, { readonly status: number; readonly message: string }>>;
  /** The message of a 404 when the resource of that name is missing, if not the usual one. */
  readonly notFound?: Readonly<Record<string, string>>;
  /** The message of a conflict is a list with a single text. */
  readonly conflictsListed?: true;
  /** Validation errors are one string after this text instead of an object (behaviour.md 1.5). */
  readonly validationPrefix?: string;
  /** Parameters whose lower bound is checked with the other parameters. */
  readonly minimum?: Readonly<Record<string, number>>;
  /** The only values of a numeric parameter. */
  readonly allowed?: Readonly<Record<string, readonly number[]>>;
  /** The only words of a parameter that is a list of words of an enum. */
  readonly among?: Readonly<Record<string, readonly string[]>>;
  /**
   * Parameters of enums whose unknown values the domain rejects, after all other checks; `a.b` is key `b` of the records in `a`.
   */
  readonly passUnknownEnum?: readonly string[];
  /** Parameters that accept only the numeric ID of a project, group or namespace, not a path. */
  readonly numericIds?: readonly string[];
  /** The word by which a parameter has no value, in addition to blank. */
  readonly nullWord?: Readonly<Record<string, string>>;
  /**
   * Names of parameters, if they differ from the variable or input field that they fill, in snake_case. A field within another one, `a[b]`,
   * becomes a parameter of its own by that. What the path fills by rule (`path_fields.ts`) needs no name.
   */
  readonly names?: Readonly<Record<string, string>>;
  /** Words of parameters, each with the value that it stands for: additional ones of enums, and the only ones of other types. */
  readonly words?: Readonly<Record<string, Words>>;
  /** Parameters with a single value that may also be sent as a list of one. */
  readonly onlyOne?: readonly string[];
  /** Parameters of which exactly one must be present, and the first is what is missing if none is. */
  readonly alternatives?: readonly string[];
  /** Fields of variables of input types that are no parameters: `squash`, `position[line_range]`. */
  readonly hidden?: readonly string[];
  /** Variables of input types whose fields are keys of a parameter, `a[b]`, instead of parameters of their own. */
  readonly nested?: readonly string[];
  /** Nested parameters that must be present if what they are in is: `a[b]`. Those that the schema requires are anyway. */
  readonly neededWithin?: readonly string[];
  /** Parameters for the keys of threads, or their numbers. In the path, anything else is no thread; elsewhere it is invalid. */
  readonly threadKeys?: readonly string[];
  /** Parameters of which at most one may be present. */
  readonly exclusive?: readonly (readonly string[])[];
  /**
   * Parameters that must be present though the schema does not require the input fields that they fill, or whose errors are not in the order
   * of the schema.
   */
  readonly required?: readonly string[];
  /** What `$input` has besides parameters, as in GraphQL. */
  readonly preset?: Readonly<Record<string, unknown>>;
  /** Undocumented other names of parameters. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Documented other names of parameters. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /** Whether synonyms win over the own names of parameters. */
  readonly synonymsWin?: true;
  /** Headers of all successful responses. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The words of a parameter that chooses the operation. What the row has itself is that of the first. */
  readonly choice?: Choice;
  /** What the route does, if the schema's description of its result does not fit. */
  readonly description?: string;
}

/** Paging by the last record of a page in place of numbers (code-and-ci.md R3). */
export interface Keyset {
  /** The parameter that names the record behind which a page begins. */
  readonly parameter: string;
  /** The key of the records whose value names them; the cursor of the list without one. */
  readonly key?: string;
  /** The cursor of the list for a value of the parameter, if not the value itself. */
  readonly after?: (token: string) => string;
  /** Parameters that must have one of these values, of which undefined is none: else the pages have numbers. */
  readonly only?: Readonly<Record<string, readonly (string | undefined)[]>>;
  /** The parameter in its place where the list is sorted in descending order, as it is by default; both are filters of the list. */
  readonly descending?: string;
  /** Whether several records may have the value: links then have the parameter `cursor` too, which goes before it. */
  readonly ambiguous?: true;
}

/** The request that is redirected. */
export interface Redirected {
  /** The parameters of the path. */
  readonly values: ReadonlyMap<string, string>;
  /** The path that the client asked for, from the root of the host, and the query, each as they were sent. */
  readonly path: string;
  readonly query: string;
}

/** A parameter that chooses what a route does. */
export interface Choice {
  readonly parameter: string;
  /** What the parameter says. */
  readonly description: string;
  /** What the operations are called together. */
  readonly name: string;
  /** How the route differs for each word. */
  readonly of: Readonly<Record<string, Partial<Omit<Route, 'choice'>>>>;
}

/** The route for each word of its choice; the route itself without one. */
export function variantsOf({ choice, ...route }: Route): Route[] {
  return choice ? Object.values(choice.of).map((own) => ({ ...route, ...own })) : [route];
}

/** The names of the parameters in the path of a route, in its order. */
export function pathParameters({ path }: Route): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
}
