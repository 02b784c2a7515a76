import { BY_EXTENSION, BY_NAME, UNCOUNTED } from '#src/generated/languages.ts';

/** The programming or markup language that a file is counted for; null for none. */
export function languageOf(path: string): string | null {
  if (LEFT_OUT.test(path)) return null;
  const language = anyLanguageOf(path);
  return language === null || UNCOUNTED.has(language) ? null : language;
}

/** The language that a file is written in, be it prose or data, by its name or its longest known extension; null if it is unknown. */
export function anyLanguageOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const named = BY_NAME.get(name);
  if (named !== undefined) return named;
  const lower = name.toLowerCase();
  for (let at = lower.indexOf('.', 1); at >= 0; at = lower.indexOf('.', at + 1)) {
    const found = BY_EXTENSION.get(lower.slice(at));
    if (found !== undefined) return found;
  }
  return null;
}

/** Directories of what others wrote, and files that programs write. */
const DIRECTORIES = [
  'node_modules',
  'bower_components',
  'jspm_packages',
  'vendor',
  'vendors',
  'third[-_]?party',
  'externals?',
  'extern',
  'deps',
  'dist',
  'Pods',
  'Carthage/Build',
  '\\.yarn',
  '\\.venv',
  '__pycache__',
  'site-packages',
  'Godeps/_workspace',
  '\\.gradle',
  '__generated__',
];
const FILES = [
  '[^/]*[.-]min\\.(?:js|css)',
  '[^/]*\\.(?:bundle|generated|designer|g|g\\.i)\\.[^./]+',
  '[^/]*(?:\\.pb\\.(?:go|cc|h)|_pb2(?:_grpc)?\\.pyi?|_pb\\.(?:rb|js|d\\.ts)|\\.pb\\.gw\\.go)',
  '[^/]*\\.d\\.ts',
  'jquery(?:[-.][^/]*)?\\.js',
  'gradlew(?:\\.bat)?',
  'mvnw(?:\\.cmd)?',
  '[Cc]onfigure',
  'config\\.(?:guess|sub)',
  'aclocal\\.m4',
  'ltmain\\.sh',
  'install-sh',
];
const SLASH = '/';
const LEFT_OUT = new RegExp(`(?:^|${SLASH})(?:(?:${DIRECTORIES.join('|')})${SLASH}|(?:${FILES.join('|')})$)`);
