import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { DocumentNode } from 'graphql';
import type { Differences } from '#schema/input_fields.ts';

/** A tool: one operation of the GraphQL API. Made by `tool`. */
export interface Tool {
  readonly operation: DocumentNode;
  readonly title: string;
  readonly description: string;
  readonly arguments: Readonly<Record<string, string>>;
  /** How the arguments differ from the fields of `$input`. */
  readonly differences: Differences;
  readonly found: (data: never) => unknown;
  readonly destructive: boolean;
}

interface ToolOptions<Data> extends Omit<Differences, 'preset'> {
  /**
   * An operation of `mcp/*.graphql`. Its name is that of the tool (`ListIssues` is `list_issues`), and its variables are the arguments, with
   * the fields of `$input` in its place, described as what they fill in the schema.
   */
  operation: TypedDocumentNode<Data, never> | TypedDocumentNode<Data, Record<string, unknown>>;
  /** A few words that people see. */
  title: string;
  /** What it does, in sentences for the model. */
  description: string;
  /** Descriptions of arguments by name, where those of the schema do not fit. */
  arguments?: Readonly<Record<string, string>>;
  /** The part of the result that is the answer; null if there is none. */
  found: (data: Data) => object | null | undefined;
  /** Whether it may overwrite or end what is there, beyond adding something. False when absent; queries never do. */
  destructive?: boolean;
}

/** A row of the table of tools. */
export function tool<Data>({
  destructive = false,
  arguments: described = {},
  names,
  hidden,
  required,
  ...options
}: ToolOptions<Data>): Tool {
  const differences = { names, hidden, required };
  return { destructive, arguments: described, differences, ...options } as unknown as Tool;
}
