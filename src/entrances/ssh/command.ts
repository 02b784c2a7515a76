import { trimEnds } from '#src/base/text.ts';
import type { RemoteService } from '#src/domain/repository/access_remote.ts';

/** A git client's command. */
export interface GitCommand {
  service: RemoteService;
  /** Full path of a project, normalized. */
  fullPath: string;
}

/** A command by which a client of Git LFS asks where its objects are. */
export interface LfsCommand {
  service: RemoteService;
  fullPath: string;
}

/** The longest command that is parsed, in characters. */
const MAX_COMMAND_LENGTH = 4096;

const SERVICES: Record<string, RemoteService> = {
  'git-upload-pack': 'fetch',
  'git upload-pack': 'fetch',
  'git-receive-pack': 'push',
  'git receive-pack': 'push',
};

/** One word as clients quote it for a shell: in single quotes with `'\''` and `'\!'` between them, double quotes, or plain. */
const WORD = /^(?:(?:'[^']*'|\\['!])+|"[^"\\$`]*"|[\w@%+=:,./~-]+)$/;

/** Parses a git command such as `git-upload-pack '/group/project.git'`; null for others. No command is ever passed to a shell. */
export function parseCommand(text: string): GitCommand | null {
  if (text.length > MAX_COMMAND_LENGTH) return null;
  const match = /^(git[- ](?:upload|receive)-pack) +(\S.*)$/s.exec(text.trimEnd());
  const service = SERVICES[match?.[1] ?? ''];
  const word = match?.[2] ?? '';
  if (service === undefined || !WORD.test(word) || word.startsWith('-')) return null;
  return { service, fullPath: projectPath(unquoted(word)) };
}

/** Parses `git-lfs-authenticate group/project.git download`; null for other commands. */
export function parseLfsCommand(text: string): LfsCommand | null {
  if (text.length > MAX_COMMAND_LENGTH) return null;
  const words = text.trimEnd();
  const end = words.lastIndexOf(' ');
  const [name, operation] = [words.slice(0, words.indexOf(' ')), words.slice(end + 1)];
  const word = words.slice(name.length, end).trim();
  if (
    name !== 'git-lfs-authenticate' ||
    !['download', 'upload'].includes(operation) ||
    !WORD.test(word) ||
    word.startsWith('-')
  )
    return null;
  return { service: operation === 'upload' ? 'push' : 'fetch', fullPath: projectPath(trimEnds(unquoted(word), '/')) };
}

/** Whether the command requests an archive. */
export function isArchiveCommand(text: string): boolean {
  return /^git[- ]upload-archive( |$)/.test(text);
}

function unquoted(word: string): string {
  if (word.startsWith('"')) return word.slice(1, -1);
  return word.replaceAll(/'([^']*)'|\\(['!])/g, (_, inside?: string, escaped?: string) => inside ?? escaped ?? '');
}

/** Parses `/group/project.git/`, with or without slashes and suffix. */
function projectPath(text: string): string {
  return trimEnds(text, '/').replace(/\.git$/, '');
}
