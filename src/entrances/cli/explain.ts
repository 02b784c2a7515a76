import { getSystemErrorMessage } from 'node:util';
import { closestMatch } from '#src/platform/config/closest_match.ts';
import { DomainError, type FieldErrors } from '#src/platform/errors.ts';
import { UsageError } from './command.ts';
import { optionsOf, WrongUse } from './help.ts';

/** The message for an error on a terminal, and the exit status: 2 if the command line was wrong, else 1. */
export function explain(error: unknown, command: string | undefined): { text: string; status: 1 | 2 } {
  const wrong = wrongUse(error, command);
  if (wrong) return { text: `${wrong.message}\n${wrong.hint}`, status: 2 };
  return { text: failure(error, command), status: 1 };
}

function wrongUse(error: unknown, command: string | undefined): WrongUse | null {
  if (error instanceof WrongUse) return error;
  const hint = `Run \`gantry help${command === undefined ? '' : ` ${command}`}\` for its usage.`;
  if (error instanceof UsageError) return new WrongUse(error.message, hint);
  const { code, message } = error as NodeJS.ErrnoException;
  if (!(error instanceof TypeError) || !code?.startsWith('ERR_PARSE_ARGS')) return null;
  const [, option = ''] = /'(?:-\w, )?(--?[^\s'=]+|[^']*)/.exec(message) ?? [];
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return new WrongUse(`unexpected argument "${option}"`, hint);
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const meant = closestMatch(option, optionsOf(command ?? ''));
    return new WrongUse(`unknown option ${option}`, meant === undefined ? hint : `Did you mean ${meant}? ${hint}`);
  }
  const isFlag = /does not take an argument/.test(message);
  return new WrongUse(isFlag ? `${option} takes no value` : `${option} needs a value`, hint);
}

/** Unexpected errors are shown with their stack. */
function failure(error: unknown, command = ''): string {
  if (!(error instanceof Error)) return String(error);
  const message = error instanceof DomainError ? refusal(error, command) : systemFailure(error);
  return process.env.LOG_LEVEL === 'debug' ? `${message}\n${error.stack}` : message;
}

/** Error messages name parameters of the API, which are options here. */
export function refusal({ message, extensions: { fields, about } }: DomainError, command: string): string {
  const errors = isFields(about) ? about : isFields(fields) ? fields : {};
  const names = command.startsWith('import ') ? { ...OPTIONS, ...OF_IMPORTS } : OPTIONS;
  const lines = Object.entries(errors).flatMap(([field, messages]) =>
    messages.map((text) => `${names[field] ?? `--${field.replaceAll('_', '-')}`} ${text}`),
  );
  if (lines.length > 1) return ['some values are not accepted:', ...lines].join('\n  ');
  return lines[0] ?? message;
}

const OPTIONS: Record<string, string> = { expires_at: '--expires' };
/** What is no option of imports. */
const OF_IMPORTS: Record<string, string> = { path: 'the path', token: 'the token' };

function isFields(value: unknown): value is FieldErrors {
  return typeof value === 'object' && value !== null && Object.values(value).every(Array.isArray);
}

/** Node's messages look like `ENOENT: no such file or directory, open '/x'`. */
function systemFailure(error: NodeJS.ErrnoException): string {
  const { errno, path, syscall, message } = error;
  if (errno === undefined || syscall === undefined) return message;
  return `${path === undefined ? syscall : path}: ${getSystemErrorMessage(errno)}`;
}
