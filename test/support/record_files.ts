import { appendFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, SerializedError, TestModule, TestSpecification } from 'vitest/node';

/** What a run of tests writes about its files, one line of JSON each, as it happens: a run that is killed leaves what it got to. */
export type Recorded =
  | { listed: string[] }
  | { begun: string }
  | { ended: string; seconds: number }
  | { failed: string; error: string }
  /** An error outside of every file, as of what all of them share. */
  | { broken: string };

/** Names the file to which `FileRecorder` appends. */
export const RECORD = 'TEST_RECORD';

/** A reporter of Vitest that records which files a run had, which of them failed, why, and how long each took. */
export default class FileRecorder implements Reporter {
  readonly #begun = new Map<string, number>();
  #listed: string[] = [];

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#listed = specifications.map(({ moduleId }) => moduleId);
    record({ listed: this.#listed.map(nameOf) });
  }

  onTestModuleQueued({ moduleId }: TestModule): void {
    this.#begun.set(moduleId, performance.now());
    record({ begun: nameOf(moduleId) });
  }

  onTestModuleEnd(module: TestModule): void {
    const file = nameOf(module.moduleId);
    const begun = this.#begun.get(module.moduleId) ?? performance.now();
    record({ ended: file, seconds: (performance.now() - begun) / 1000 });
    if (!module.ok()) record({ failed: file, error: firstError(module) });
  }

  /** Errors that came while no test waited for them say where they belong: by their path, or within their text where a worker ended. */
  onTestRunEnd(_modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    for (const error of errors) {
      const text = [error.message, error.cause?.message].filter((part) => part !== undefined).join(' ');
      const files = this.#listed.filter((file) => error.VITEST_TEST_PATH === file || text.includes(file));
      const line = firstLine(error.cause?.message ?? error.message);
      if (files.length === 0) record({ broken: line });
      for (const file of files) record({ failed: nameOf(file), error: line });
    }
  }
}

function firstError(module: TestModule): string {
  const places = [module, ...module.children.allSuites()];
  const [error] = places.flatMap((place) => place.errors());
  if (error !== undefined) return firstLine(error.message);
  for (const test of module.children.allTests('failed')) {
    return `${test.fullName}: ${firstLine(test.result().errors?.[0]?.message ?? 'failed')}`;
  }
  return 'failed';
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}

function nameOf(moduleId: string): string {
  return path.relative(process.cwd(), moduleId);
}

function record(line: Recorded): void {
  const file = process.env[RECORD];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`);
}
