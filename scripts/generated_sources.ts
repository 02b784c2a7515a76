import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What is generated, compared with what it was generated from. */
export class GeneratedSources {
  readonly #root: string;
  readonly #stamp: string;

  /** @param root absolute path of the checkout */
  constructor(root: string) {
    this.#root = root;
    this.#stamp = path.join(root, 'src/generated/.sources');
  }

  /** Whether everything is there, and was generated from the sources as they are now. */
  isFresh(): boolean {
    if (!OUTPUTS.every((file) => existsSync(path.join(this.#root, file)))) return false;
    return existsSync(this.#stamp) && readFileSync(this.#stamp, 'utf8') === this.#stampOf(this.hash());
  }

  /** SHA-256 of the names and contents of all sources, in hexadecimal. */
  hash(): string {
    const found = FOLDERS.flatMap(([folder, kind]) =>
      readdirSync(path.join(this.#root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => kind.test(name))
        .map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/'))),
    );
    return this.#digest([...found, ...FILES].sort());
  }

  /** To be called before generating: if that is interrupted, the next start begins it again. */
  forget(): void {
    rmSync(this.#stamp, { force: true });
  }

  /** To be called after generating, with the hash of the sources that were read. */
  remember(hash: string): void {
    writeFileSync(this.#stamp, this.#stampOf(hash));
  }

  #stampOf(hash: string): string {
    return `${hash} ${this.#digest(COMMITTED)}\n`;
  }

  #digest(files: readonly string[]): string {
    const hash = createHash('sha256');
    for (const file of files) {
      const content = readFileSync(path.join(this.#root, file));
      hash.update(`${file}\0${content.length}\0`).update(content);
    }
    return hash.digest('hex');
  }
}

const FOLDERS: readonly [folder: string, kind: RegExp][] = [
  ['prisma/schema', /\.prisma$/],
  ['schema', /\.ts$/],
  ['rest', /\.(ts|graphql)$/],
  ['pages', /\.graphql$/],
  ['mcp', /\.graphql$/],
];

/** The lock file stands for the versions of the generators. */
const FILES = [
  'codegen.ts',
  'package-lock.json',
  'prisma.config.ts',
  'scripts/generate.ts',
  'scripts/generate_models.ts',
  'scripts/languages.ts',
  'rest/examples.json',
  'scripts/graphiql.ts',
  'scripts/openapi.ts',
  'scripts/viewers.ts',
  'pages/viewers/diagram.js',
  'pages/viewers/editor.js',
];

/** Generated and committed: a checkout may bring another one. The rules in src/ that the schema tells of show here too. */
const COMMITTED = ['schema/schema.graphql', 'rest/openapi.json'];

const OUTPUTS = [
  'src/generated/languages.ts',
  'src/generated/models.ts',
  'src/generated/operations.ts',
  'src/generated/mcp_operations.ts',
  'src/generated/page_operations.ts',
  'src/generated/pothos.ts',
  'src/generated/prisma/client.ts',
  'src/generated/viewer/graphiql.js.br',
  ...COMMITTED,
];
