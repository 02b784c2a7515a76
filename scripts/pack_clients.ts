import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

/*
 * Packs each package of clients/ as npm would: `node scripts/pack_clients.ts [DIRECTORY]` writes the files to the directory, by
 * default the current one. Their version is that of the server, and the schema is that of schema/schema.graphql: neither is kept twice.
 */
const root = path.dirname(import.meta.dirname);
const destination = path.resolve(process.argv[2] ?? '.');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const compiler = path.join(path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

pack('graphql', { 'schema.graphql': 'schema/schema.graphql' });
pack('testcontainers');

/** @param more files of the checkout that come along, by their names in the package */
function pack(name: string, more: Record<string, string> = {}): void {
  const source = path.join(root, 'clients', name);
  const staged = mkdtempSync(path.join(tmpdir(), 'gantry-pack-'));
  try {
    const { type, ...manifest } = JSON.parse(readFileSync(path.join(source, 'package.json'), 'utf8'));
    if (existsSync(path.join(source, 'src'))) compile(source, staged);
    for (const file of globSync('index.*', { cwd: source }))
      copyFileSync(path.join(source, file), path.join(staged, file));
    writeFileSync(path.join(staged, 'package.json'), `${JSON.stringify({ version, type, ...manifest }, null, 2)}\n`);
    const files = { 'README.md': `clients/${name}/README.md`, LICENSE: 'LICENSE', ...more };
    for (const [file, from] of Object.entries(files)) copyFileSync(path.join(root, from), path.join(staged, file));
    mkdirSync(destination, { recursive: true });
    execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', destination], {
      cwd: staged,
      stdio: 'inherit',
    });
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

function compile(source: string, staged: string): void {
  const config = path.join(staged, 'tsconfig.json');
  writeFileSync(config, JSON.stringify(configOf(source, path.join(staged, 'dist'))));
  execFileSync(process.execPath, [compiler, '--project', config], { stdio: 'inherit' });
  rmSync(config);
}

/** Emits JavaScript with its types. The types are those of the checkout, which is not around the staged package. */
function configOf(source: string, outDir: string): object {
  return {
    extends: path.join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      rootDir: path.join(source, 'src'),
      outDir,
      rewriteRelativeImportExtensions: true,
      declaration: true,
      typeRoots: [path.join(root, 'node_modules/@types')],
    },
    include: [path.join(source, 'src')],
    exclude: [],
  };
}
