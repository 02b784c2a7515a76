import { type DocumentNode, type GraphQLSchema, getOperationAST, OperationTypeNode } from 'graphql';
import { argumentsOf, inputSchemaOf, type ObjectSchema } from '#mcp/engine/input_schema.ts';
import type { Tool } from '#mcp/engine/tool.ts';
import type { Taken } from '#schema/input_fields.ts';

/** A tool, ready to be listed and called. */
export interface CompiledTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly document: DocumentNode;
  /** What each argument fills. */
  readonly taken: readonly Taken[];
  /** Whether it only reads. */
  readonly reads: boolean;
  readonly destructive: boolean;
  readonly found: (data: never) => unknown;
}

/** Throws for an operation without a name, and for described arguments that are not there. */
export function compileTool(
  { operation: document, arguments: described, differences, ...row }: Tool,
  schema: GraphQLSchema,
): CompiledTool {
  const operation = getOperationAST(document);
  const name = operation?.name?.value;
  if (!operation || !name) throw new Error(`The tool “${row.title}” has no operation with a name`);
  return {
    ...row,
    document,
    taken: argumentsOf(operation, schema, differences),
    name: name.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase(),
    inputSchema: inputSchemaOf(document, operation, schema, described, differences),
    reads: operation.operation === OperationTypeNode.QUERY,
  };
}
