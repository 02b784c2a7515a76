import { encodeName } from '../base/names.ts';

/** Below it lie refs that only keep commits from being removed. */
export const KEPT_REFS = 'refs/keep-around';

/** Below it lie the refs of merge requests. */
export const MERGE_REQUEST_REFS = 'refs/merge-requests';

/**
 * Whether git accepts this as the full name of a ref, as `git check-ref-format` says: at least two components, none of them
 * beginning with a dot or ending in `.lock`, no `..`, `@{`, control characters, spaces or any of `~^:?*[\`.
 */
export function isValidRefName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: git forbids them in names.
  if (/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{/.test(name) || name.endsWith('.')) return false;
  const components = name.split('/');
  return components.length > 1 && components.every(isValidComponent);
}

/** Whether git accepts this as the name of a branch, without `refs/heads/`. */
export function isValidBranchName(name: string): boolean {
  return !name.startsWith('-') && name !== 'HEAD' && isValidRefName(`refs/heads/${name}`);
}

/** Whether git accepts this as the name of a tag, without `refs/tags/`. */
export function isValidTagName(name: string): boolean {
  return !name.startsWith('-') && name !== 'HEAD' && isValidRefName(`refs/tags/${name}`);
}

/**
 * Whether a ref may be there by its full name: branches and tags have names that no command takes for an option, nor for what
 * HEAD stands for.
 */
export function mayBeKept(ref: string): boolean {
  if (ref.startsWith(BRANCHES)) return isValidBranchName(ref.slice(BRANCHES.length));
  if (ref.startsWith(TAGS)) return isValidTagName(ref.slice(TAGS.length));
  return ref.startsWith('refs/') && isValidRefName(ref);
}

/**
 * Whether a ref may be made by its full name: as mayBeKept, and its name cannot be confused with that of an object or of another ref.
 * Git tries what is pushed to in front of which it puts `refs/`, `refs/heads/` and others: the branch `refs/heads/main` would make
 * `git push` of `main` ambiguous.
 */
export function mayBeMade(ref: string): boolean {
  if (!mayBeKept(ref)) return false;
  const isOrdinary = [BRANCHES, TAGS].some((prefix) => ref.startsWith(prefix));
  if (!isOrdinary) return !/^refs\/(remotes\/)?refs\//.test(ref);
  const name = ref.replace(/^refs\/(heads|tags)\//, '');
  return !/^([0-9a-f]{40}|[0-9a-f]{64})$/i.test(name) && !/^(refs|heads|tags)\//.test(name);
}

const BRANCHES = 'refs/heads/';
const TAGS = 'refs/tags/';

/** File systems hold 255 bytes a name, of which the lock file's ending takes some. */
function isValidComponent(component: string): boolean {
  if (component === '' || component.startsWith('.') || component.endsWith('.lock')) return false;
  return encodeName(component).length <= 250;
}
