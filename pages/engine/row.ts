import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { DocumentNode } from 'graphql';
import type { Question } from '#pages/engine/asking.ts';
import { atom, type Feed } from '#pages/engine/atom.ts';
import { type Calendar, iCalendar } from '#pages/engine/icalendar.ts';
import type { Differences } from '#schema/input_fields.ts';
import type { Texts } from '#src/platform/texts/texts.ts';

/** What the functions of a row know besides the result of its operation. */
export interface Facts {
  /** Path and query of the request. */
  readonly url: URL;
  /** Parameters of path and query, or the fields of a form, as they were sent. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Username of the signed-in user; null for visitors. */
  readonly username: string | null;
  /** Prefix of SSH URLs of repositories; null where SSH is off. */
  readonly sshBase: string | null;
  /** A text in the reader's language, by its English source (`src/platform/texts`). */
  readonly t: Texts['t'];
  /** How the reader wants to see changes. */
  readonly changes: { readonly fileByFile: boolean; readonly showsWhitespace: boolean; readonly isSplit: boolean };
}

/** What the graph does not tell and some pages need, each of the reader of the page (`needs`). */
export interface Needed {
  /** Whether the server sends mail. */
  sendsMail: boolean;
  /** Whether the reader may register applications. */
  mayRegister: boolean;
  /** Whether the reader’s second factor is an authenticator app. */
  usesApp: boolean;
  /** The secret of an authenticator app that the reader sets up. Throws ValidationFailed without one. */
  enrolment: { readonly secret: string; readonly uri: string };
  /** Bytes of the largest archive that is imported. */
  largestArchive: number;
}

export type Need = keyof Needed;

/** What a page knows besides the result of its operation: what all do, and what it needs. */
export type FactsWith<Needs extends Need> = Facts & { readonly needed: Pick<Needed, Needs> };

/** Checks of the domain that find all that is wrong with a form, where its mutation stops at the first mistake (`checkedBy`). */
export type Check = 'passwordChange';

/** What templates get besides what a row shows in them. */
export interface OfRow {
  readonly url: URL;
  // biome-ignore lint/suspicious/noExplicitAny: what readers sent is text or lists of it, and is shown as it is
  readonly given: Readonly<Record<string, any>>;
  /** What a form was sent with, when it is shown again. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly values: Readonly<Record<string, any>>;
  /** What was wrong with that, by field; that of no field is named by an empty text. */
  readonly problems: Readonly<Record<string, string>>;
  /** Whether nobody is signed in. */
  readonly isVisitor: boolean;
  readonly sshBase: string | null;
  /** Whether the reader wants to see changes side by side. */
  readonly isSplit: boolean;
  /** Whether the reader usually wants to see changes of whitespace alone. */
  readonly showsWhitespace: boolean;
}

/** What a template shows, in addition to what all of them get (`engine/serve.ts`). */
export type Values = Record<string, unknown>;

/** A page: a view of the result of one operation. Made by `page`. */
export interface Page {
  readonly kind: 'page';
  readonly path: string;
  readonly operation: DocumentNode;
  readonly view: string;
  readonly variables: (given: Facts['given'], facts: Facts) => Facts['given'];
  readonly found: (data: never, facts: Facts) => unknown;
  readonly title: (found: never, facts: Facts) => string;
  readonly show: (found: never, facts: Facts) => Values;
  readonly feed: ((found: never, facts: Facts) => string | undefined) | null;
  readonly redirectTo: ((found: never, facts: Facts) => string | null) | null;
  readonly signIn: boolean;
  readonly takesTokens: boolean;
  readonly catchAll: boolean;
  readonly pageSize: number;
  readonly listsFiles: boolean;
  readonly administers: boolean;
  readonly needs: readonly Need[];
  readonly onlyAgain: boolean;
}

/** Content that is sent as it is, to bearers of tokens too. Made by `raw`. */
export interface Raw {
  readonly kind: 'raw';
  readonly path: string;
  readonly operation: DocumentNode;
  readonly content:
    | 'page_blob'
    | 'page_archive'
    | 'wiki_file'
    | 'trace'
    | 'page_artifact'
    | 'artifacts'
    | 'patch'
    | 'page_text'
    | 'data_export'
    | 'project_export'
    | 'group_export';
  readonly variables: (given: Facts['given']) => Facts['given'];
  readonly found: (data: never, facts: Facts) => unknown;
}

/** What is new or due, as a document that programs read again and again. Made by `feed`, `calendar` and `csv`. */
export interface FeedRow {
  readonly kind: 'feed';
  readonly path: string;
  readonly operation: DocumentNode;
  readonly variables: (given: Facts['given']) => Facts['given'];
  readonly found: (data: never, facts: Facts) => unknown;
  /** The media type of the document, and its text. */
  readonly document: (found: never, facts: Facts) => readonly [type: string, text: string];
  readonly catchAll: boolean;
  readonly pageSize: number;
}

/** What a script of a page asks for, as JSON. Made by `json`. */
export interface JsonRow {
  readonly kind: 'json';
  readonly path: string;
  readonly operation: DocumentNode;
  readonly variables: (given: Facts['given'], facts: Facts) => Facts['given'];
  readonly found: (data: never, facts: Facts) => unknown;
  readonly answer: (found: never, facts: Facts) => unknown;
}

/** What a form answers with in place of a redirection. */
export interface Shown {
  /** As of a page. */
  view: string;
  title: string;
  values: Values;
}

/** A form with one small file, which is refused where it is too large before it is received (`takesFile`). */
export interface TakenFile {
  field: string;
  /** In bytes. */
  largest: number;
  /** Path of the page that says that the file is too large. */
  tooLarge: string;
}

/** A form that was sent: one mutation. Made by `form`. */
export interface Form {
  readonly kind: 'form';
  readonly path: string;
  readonly operation: DocumentNode;
  readonly goTo: (data: never, facts: Facts) => string;
  readonly says: string | null | ((data: never, facts: Facts) => string);
  readonly asks: Page | ((facts: Facts) => Question) | null;
  readonly shows: ((data: never, facts: Facts) => Shown | null | undefined) | null;
  readonly refused: ((data: never, facts: Facts) => Readonly<Record<string, string>> | null) | null;
  readonly again: Page | null;
  readonly lists: readonly string[];
  readonly variables: (given: Facts['given']) => Facts['given'];
  /** How its fields differ from those of `$input`. */
  readonly differences: Differences;
  readonly takesFiles: boolean;
  readonly takesArchive: boolean;
  readonly takesFile: TakenFile | null;
  readonly isShort: boolean;
  readonly administers: boolean;
  readonly from: string | ((parameters: Readonly<Record<string, string>>) => string) | null;
  readonly check: (given: Facts['given']) => Readonly<Record<string, string>>;
  readonly checkedBy: Check | null;
  readonly proof: string | null;
  readonly renewsSession: boolean;
}

export type Row = Page | Form | Raw | FeedRow | JsonRow;

/** Which view a row shows with which values, for the types of templates: `values` is never there. */
export interface Showing<View extends string, Shown> {
  readonly view: View;
  readonly values?: Shown;
}

/** The values that the rows of a table show in a view; those that show nothing lead elsewhere. */
export type ShownIn<Rows extends readonly unknown[], View extends string> = OfView<Rows[number], View>;

type OfView<Row, View extends string> =
  Row extends Showing<infer Known, infer Shown>
    ? string extends Known
      ? never
      : View extends Known
        ? keyof Shown extends never
          ? never
          : Shown
        : never
    : never;

export interface PageOptions<Data, Found, View extends string = string, Shown = Values, Needs extends Need = never> {
  /**
   * Below the root. `:project` and `:group` are full paths of one or more names, `:name` is one segment, `*name` is the rest with its
   * slashes, or what precedes other text of the path; each fills the variable of that name. The first row that matches and finds something is shown.
   */
  path: string;
  /** A query of `pages/*.graphql`. Its variables are the parameters of path and query; `first` and `last` are set to a page of a list. */
  operation: TypedDocumentNode<Data, never> | TypedDocumentNode<Data, Record<string, unknown>>;
  /** Template in pages/views, without its ending. */
  view: View;
  /** The texts of the variables, from the parameters of path and query. Those themselves when absent. */
  variables?: (given: Facts['given'], facts: Facts) => Facts['given'];
  /** The part of the result without which there is no such page. */
  found: (data: Data, facts: FactsWith<Needs>) => Found | null | undefined;
  /** Title of the page, without the name of the server. */
  title: (found: Found, facts: FactsWith<Needs>) => string;
  /** What the template shows of it. */
  show: (found: Found, facts: FactsWith<Needs>) => Shown;
  /** Path of the feed of what the page lists. */
  feed?: (found: Found, facts: FactsWith<Needs>) => string | undefined;
  /** Address to which the browser is sent instead, if what was found belongs elsewhere. */
  redirectTo?: (found: Found, facts: FactsWith<Needs>) => string | null;
  /** Whether visitors have to sign in first. False when absent: they see what is public. */
  signIn?: boolean;
  /** Whether clients may be known by a token, as those of the REST API, in place of a session. False when absent. */
  takesTokens?: boolean;
  /**
   * Whether the path matches nearly everything: visitors who might see a page after signing in then get a 404 that offers it, in place
   * of being sent to sign in. False when absent.
   */
  catchAll?: boolean;
  /** Records on one page of a list; the query parameter `page=last` asks for the last one. */
  pageSize?: number;
  /** Whether the list is of changed files, which some users want to see one at a time. False when absent. */
  listsFiles?: boolean;
  /** Whether the page is for administrators: to others it is as if it were not there. False when absent. */
  administers?: boolean;
  /** What the page needs and the graph does not tell: the functions of the row get it as `needed`. */
  needs?: readonly Needs[];
  /** Whether only a form that was refused shows the page (`again`). False when absent. */
  onlyAgain?: boolean;
}

export function page<Data, Found, const View extends string, Shown extends object, const Needs extends Need = never>({
  feed,
  redirectTo,
  signIn = false,
  takesTokens = false,
  catchAll = false,
  pageSize = 20,
  listsFiles = false,
  administers = false,
  needs = [],
  onlyAgain = false,
  variables = (given) => given,
  ...options
}: PageOptions<Data, Found, View, Shown, Needs>): Page & Showing<View, Shown> {
  const chosen = {
    feed: feed ?? null,
    redirectTo: redirectTo ?? null,
    signIn,
    takesTokens,
    catchAll,
    pageSize,
    listsFiles,
    administers,
    needs,
    onlyAgain,
    variables,
  };
  return { kind: 'page', ...chosen, ...options } as unknown as Page & Showing<View, Shown>;
}

interface RawOptions<Data> {
  /** As of a page. */
  path: string;
  /** A query of `pages/*.graphql`, as of a page. */
  operation: TypedDocumentNode<Data, never> | TypedDocumentNode<Data, Record<string, unknown>>;
  /** What is sent: a file or an archive of a repository, a file of a wiki, the log of a job, one file of its artifacts or all of them, changes, a text that the row made, or the export of a project. */
  content: Raw['content'];
  /** As of a page. */
  variables?: (given: Facts['given']) => Facts['given'];
  /** What the reader of the content needs (`src/domain/repository/raw.ts`); null where there is no such content. */
  found: (data: Data, facts: Facts) => object | null | undefined;
}

export function raw<Data>({ variables = (given) => given, ...options }: RawOptions<Data>): Raw {
  return { kind: 'raw', variables, ...options } as unknown as Raw;
}

interface FeedOptions<Data, Found> extends Pick<PageOptions<Data, Found>, 'path' | 'operation' | 'found' | 'catchAll'> {
  /** What the feed has of it. */
  feed: (found: Found, facts: Facts) => Feed;
}

/** A feed, which readers ask for by their session or by a token, as clients of the REST API. */
export function feed<Data, Found>({ catchAll = false, feed, ...options }: FeedOptions<Data, Found>): FeedRow {
  const document = (found: Found, facts: Facts) => ['application/atom+xml', atom(feed(found, facts), facts.url)];
  const variables = (given: Facts['given']) => given;
  return { kind: 'feed', catchAll, pageSize: 20, variables, document, ...options } as unknown as FeedRow;
}

interface CalendarOptions<Data, Found>
  extends Pick<PageOptions<Data, Found>, 'path' | 'operation' | 'found'>,
    Pick<FeedRow, 'variables'> {
  /** What the calendar has of it. */
  calendar: (found: Found, facts: Facts) => Calendar;
}

/** Days on which something is due, which programs ask for as those of feeds do. */
export function calendar<Data, Found>({ calendar, ...options }: CalendarOptions<Data, Found>): FeedRow {
  const document = (found: Found, facts: Facts) => ['text/calendar', iCalendar(calendar(found, facts), facts.url)];
  return { kind: 'feed', catchAll: false, pageSize: 100, document, ...options } as unknown as FeedRow;
}

interface CsvOptions<Data, Found> extends Pick<PageOptions<Data, Found>, 'path' | 'operation' | 'variables' | 'found'> {
  /** The table. */
  csv: (found: Found) => string;
}

/** A table that spreadsheets open, which programs ask for as they do for feeds. */
export function csv<Data, Found>({ csv, variables = (given) => given, ...options }: CsvOptions<Data, Found>): FeedRow {
  const document = (found: Found) => ['text/csv', csv(found)];
  return { kind: 'feed', catchAll: false, pageSize: 100, document, variables, ...options } as unknown as FeedRow;
}

interface JsonOptions<Data, Found>
  extends Pick<PageOptions<Data, Found>, 'path' | 'operation' | 'variables' | 'found'> {
  /** What the script gets of it. */
  answer: (found: Found, facts: Facts) => unknown;
}

/** What a script of a page asks for, of this server alone. */
export function json<Data, Found>({ variables = (given) => given, ...options }: JsonOptions<Data, Found>): JsonRow {
  return { kind: 'json', variables, ...options } as unknown as JsonRow;
}

/**
 * How the fields of a form differ from those of `$input`: `names` are those of fields by what they fill, `a[b]` for a field of an input
 * within; `hidden` are no fields of the form, `required` must be sent, and `preset` is what the mutation gets besides.
 */
export interface FormOptions<Data> extends Differences {
  /** As of a page; where the form is sent to. A page at the same path is what GET shows. */
  path: string;
  /**
   * A mutation of `pages/*.graphql`, or a query with `shows`. Its variables, and the fields of its `$input`, are the parameters of the path
   * and the fields of the form.
   */
  operation: TypedDocumentNode<Data, never> | TypedDocumentNode<Data, Record<string, unknown>>;
  /** Path to which the browser is sent when it succeeded. */
  goTo: (data: Data, facts: Facts) => string;
  /** What was done, as a text of the catalogue: the next page says it. Null where nothing is changed. */
  says: string | null | ((data: Data, facts: Facts) => string);
  /**
   * What is asked before it is done, for what cannot be taken back: the page at the same path, whose form holds `confirmed`, or a question.
   * A form that was sent without the confirmation leads to it.
   */
  asks?: Page | ((facts: Facts) => Question);
  /** What is shown in place of that: what was made and is told only once, or the result of a query that is too long for an address. */
  shows?: (data: Data, facts: Facts) => Shown | null | undefined;
  /** What went wrong by field, where a mutation answers with that in place of an error; null where nothing did. */
  refused?: (data: Data, facts: Facts) => Readonly<Record<string, string>> | null;
  /**
   * The page with the form, which is shown again with what was sent (`values`) and the errors by field (`problems`); null for none. The
   * page that asks, where there is one, when absent.
   */
  again?: Page | null;
  /** Fields that hold several values, one in each line. Those that are sent repeatedly, such as boxes to tick, are not among them. */
  lists?: readonly string[];
  /** The values of the variables, from the parameters of the path and the fields. Those themselves when absent. */
  variables?: (given: Facts['given']) => Facts['given'];
  /** Whether fields may be files, each a `File`: the form is sent as `multipart/form-data` then. */
  takesFiles?: boolean;
  /** Whether one field is a file that may be as large as archives are: it is kept on the disk, in place of memory. False when absent. */
  takesArchive?: boolean;
  /** A form with one small file, in place of that; its path has no parameters. */
  takesFile?: TakenFile;
  /** Whether the fields are short: the form may have 64 KiB then, in place of the 4 MB of those with texts. False when absent. */
  isShort?: boolean;
  /** As of a page. */
  administers?: boolean;
  /**
   * Path of the page with the form, where none is at the path of the form itself: GET leads there. Browsers ask for the path when an
   * answer with errors is reloaded from the address bar. A function where it depends on the parameters of the path.
   */
  from?: string | ((parameters: Readonly<Record<string, string>>) => string);
  /** What can be seen to be wrong before the mutation runs, by field: it does not run then. */
  check?: (given: Facts['given']) => Readonly<Record<string, string>>;
  /** What finds all that is wrong with the form, where the mutation stops at the first mistake. */
  checkedBy?: Check;
  /** The field with the password that the mutation verifies: it is said to be wrong where the mutation answers UNAUTHENTICATED. */
  proof?: string;
  /** Whether the mutation ends the sessions of the user: the browser that sent the form gets another one. */
  renewsSession?: boolean;
}

export function form<Data>({
  asks,
  again = asks && 'kind' in asks ? asks : undefined,
  shows,
  refused,
  lists = [],
  variables = (given) => given,
  takesFiles = false,
  takesArchive = false,
  takesFile,
  isShort = false,
  administers = false,
  names,
  hidden,
  required,
  preset,
  from,
  check = () => ({}),
  checkedBy,
  proof,
  renewsSession = false,
  ...options
}: FormOptions<Data>): Form {
  return {
    kind: 'form',
    asks: asks ?? null,
    again: again ?? null,
    shows: shows ?? null,
    refused: refused ?? null,
    lists,
    variables,
    differences: { names, hidden, required, preset },
    takesFiles,
    takesArchive,
    takesFile: takesFile ?? null,
    isShort,
    administers,
    from: from ?? null,
    check,
    checkedBy: checkedBy ?? null,
    proof: proof ?? null,
    renewsSession,
    ...options,
  } as unknown as Form;
}
