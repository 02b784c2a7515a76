/** Names of files that package managers write. */
const LOCK_FILES = new Set([
  'bun.lock',
  'cargo.lock',
  'composer.lock',
  'flake.lock',
  'gemfile.lock',
  'go.sum',
  'gopkg.lock',
  'mix.lock',
  'npm-shrinkwrap.json',
  'package-lock.json',
  'packages.lock.json',
  'pdm.lock',
  'pipfile.lock',
  'pnpm-lock.yaml',
  'podfile.lock',
  'poetry.lock',
  'pubspec.lock',
  'uv.lock',
  'yarn.lock',
]);

/** Whether a program writes the file, by its name. */
export function isGenerated(path: string): boolean {
  return LOCK_FILES.has(path.slice(path.lastIndexOf('/') + 1).toLowerCase());
}
