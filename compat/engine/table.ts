import type {
  DocumentNode,
  ExecutionResult,
  FieldNode,
  GraphQLCompositeType,
  GraphQLError,
  GraphQLField,
  GraphQLObjectType,
  SelectionNode,
} from 'graphql';

/** A record in the answer of the core graph. */
export type Row = Readonly<Record<string, unknown>>;

/** Arguments as the client gave them, with the defaults of the compatibility schema, which says what they are. */
// biome-ignore lint/suspicious/noExplicitAny: validated against the schema
export type Given = Readonly<Record<string, any>>;

/** One execution of a translated document. */
export interface Run {
  /** The arguments of a selected field. */
  given(site: Site): Given;
  /** What `prepare` keeps for `shape`, by the response names of mutations. */
  readonly kept: Map<string, unknown>;
  /** The error of a field of the core operation, by its response name there; it is not told beside the data any more. */
  take(key: string): GraphQLError | undefined;
  /** Tells an error beside the data. */
  tell(error: GraphQLError): void;
  /** Counts a value of the answer. Throws AnswerTooLarge. */
  count(value: unknown): void;
}

/** Runs an operation of the core graph for the caller. */
export type Ask = (document: DocumentNode, variables: Record<string, unknown>) => Promise<ExecutionResult>;

/** Makes the value of a field from the record that the core graph returned. */
export type Shape = (row: Row, run: Run) => unknown;

/** The arguments of a field of the core graph, each computed from those that the client gave; undefined leaves one out. */
export type CoreArgs = Readonly<Record<string, (given: Given, run: Run) => unknown>>;

/** A field of a type of the compatibility schema: what it needs of the core graph, and how its value is made of that. */
export interface Entry {
  select(site: Site): readonly SelectionNode[];
  shape(site: Site): Shape;
  /** Work before the core operation runs: of mutations. */
  prepare?(site: Site, run: Run, ask: Ask): Promise<void>;
  /** The field of the core record whose value it is, unchanged; absent where the value is made. */
  readonly same?: string;
}

export type Entries = Readonly<Record<string, Entry>>;

/** An object type of the compatibility schema as a view of a type of the core graph. */
export interface Table {
  /** The name of the type in the compatibility schema. */
  readonly type: string;
  /** The name of the type in the core graph whose records it shows. */
  readonly core: string;
  readonly fields: Entries;
  /** Tells apart what is asked through this table where it depends on more than the arguments of the fields: the key of another site. */
  readonly scope?: string;
}

/** An object of an interface: one of several types, which are views of the same type of the core graph. */
export interface Choice {
  readonly tables: readonly Table[];
  /** What tells of a record of which type it is. */
  readonly needs: readonly SelectionNode[];
  typeOf(row: Row): string;
}

/** What an object is shown as. */
export type View = Table | Choice;

/** The views by their names: those of the types, or, where a type has several, with the core type: `Namespace/Project`. */
const views = new Map<string, View>();

/** Keeps a view under its name. Tables name each other, as they refer to each other. */
export function keep<V extends View>(name: string, view: V): V {
  if (views.has(name)) throw new Error(`There are two views ${name}`);
  views.set(name, view);
  return view;
}

/** A view or its name. */
export type Named = string | View;

/** The view with a name. Throws an Error where there is none. */
export function viewOf(name: Named): View {
  if (typeof name !== 'string') return name;
  const view = views.get(name);
  if (!view) throw new Error(`There is no view ${name}`);
  return view;
}

/** All views, for tests that walk them. */
export function allViews(): ReadonlyMap<string, View> {
  return views;
}

/** A selected field of a document that is being translated. */
export interface Site {
  /** The type of the compatibility schema that has the field, and the field there. */
  readonly parent: GraphQLObjectType;
  readonly field: GraphQLField<unknown, unknown>;
  /** The selections of the field under one response name; the first has the arguments. */
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
  /** The type of the core graph whose record is read. */
  readonly core: GraphQLCompositeType;
  /** The same where the same is asked of the same record. */
  readonly key: string;
  /** This site, as the field of a record of another type of the core graph. */
  of(core: string): Site;
  /** Selects a field of the core record. Its arguments are variables of the core operation. */
  call(name: string, args?: CoreArgs | null, inside?: readonly SelectionNode[]): FieldNode;
  /** The response name of that field. */
  keyOf(name: string, args?: CoreArgs | null): string;
  /** Selections that the core operation has only if a condition holds. */
  when(
    condition: (given: Given, run: Run) => boolean,
    tag: string,
    selections: readonly SelectionNode[],
  ): SelectionNode;
  /** What the selection below this field needs of a record that is shown so. */
  inside(view: View): SelectionNode[];
  /** Makes what is selected below this field of a record. */
  object(view: View): Shape;
}
