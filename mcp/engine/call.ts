import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { DocumentNode, ExecutionResult, GraphQLError, GraphQLSchema } from 'graphql';
import type { CompiledTool } from '#mcp/engine/compile.ts';
import { shorten } from '#mcp/engine/shorten.ts';
import { withToldErrors } from '#schema/answer/errors.ts';
import { filled } from '#schema/input_fields.ts';

/** Runs an operation for the caller. */
export type Execute = (
  document: DocumentNode,
  variables: Record<string, unknown>,
  reads: boolean,
) => Promise<ExecutionResult>;

/** Characters of the JSON of a result: some 15,000 tokens of a language model. */
export const MAX_CHARACTERS = 60_000;

const CUT =
  'The result was too long and parts of it were left out. Ask for less: fewer records with `first`, one file with `path`, or some lines of a file.';

/** Codes of errors about arguments: the rest of the result is not what was meant. */
const WRONG_VALUES = new Set(['VALIDATION_FAILED', 'BAD_REQUEST']);

/** Calls a tool. What went wrong is in the result, for the model to read. */
export async function callTool(
  { document, inputSchema, taken, reads, found }: CompiledTool,
  given: Record<string, unknown>,
  { schema, execute }: { schema: GraphQLSchema; execute: Execute },
): Promise<CallToolResult> {
  const names = Object.keys(inputSchema.properties);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    return failure(`There is no argument ${JSON.stringify(unknown.slice(0, 100))}; there are ${names.join(', ')}.`);
  }
  const variables = filled(taken, given);
  const result = withToldErrors(await execute(document, variables, reads), { schema, document, variables });
  const { data, errors = [] } = result;
  const answer = data ? found(data as never) : null;
  const wrong = errors.map(wordsOf);
  // A mutation is done by now, whatever of its answer is missing.
  const isWrong = reads && errors.some(({ extensions }) => WRONG_VALUES.has(String(extensions.code)));
  if (isWrong || answer === null || answer === undefined) return failure(wrong.join('\n') || 'There is no such thing.');
  const { value, isCut } = shorten(answer, MAX_CHARACTERS);
  const notes = [...(isCut ? [CUT] : []), ...wrong];
  return {
    content: [JSON.stringify(value), ...notes].map((text) => ({ type: 'text', text })),
    structuredContent: value as Record<string, unknown>,
  };
}

/** The result of a call that failed. */
export function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text: text.slice(0, MAX_CHARACTERS) }], isError: true };
}

/** An error with its code, and with the fields that are wrong. */
function wordsOf({ message, extensions: { code, fields } }: GraphQLError): string {
  const wrong = Object.entries((fields ?? {}) as Record<string, readonly string[]>);
  const details = wrong.map(([name, messages]) => `${name}: ${messages.join(', ')}`).join('; ');
  return `${String(code)}: ${message}${details && !message.includes(details) ? ` (${details})` : ''}`;
}
