import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packagePath } from '#src/platform/package_root.ts';
import { type Finished, run } from './server_process.ts';

/**
 * A package of its own in test/system, with clients of the wider world and what generates them: so they, and what they
 * bring along, are no part of the project's dependencies.
 */
export class ClientPackage {
  readonly directory: string;

  constructor(name: string) {
    this.directory = packagePath(`test/system/${name}`);
  }

  /** Installs what is in the package in the versions that are locked, where that is not there yet. */
  async install(): Promise<void> {
    const lock = createHash('sha256')
      .update(readFileSync(path.join(this.directory, 'package-lock.json')))
      .digest('hex');
    const mark = path.join(this.directory, 'node_modules', '.installed');
    if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return;
    await this.succeed('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
    writeFileSync(mark, lock);
  }

  /** Runs a program that the package installed; throws what it printed where it fails. */
  generate(program: string, args: string[], more: NodeJS.ProcessEnv = {}, cwd = this.directory): Promise<void> {
    return this.succeed(path.join(this.directory, 'node_modules', '.bin', program), args, more, cwd);
  }

  /** Checks the programs and what was generated for them, as strictly as tsc can. */
  checkTypes(): Promise<Finished> {
    return run(packagePath('node_modules/.bin/tsc'), ['--project', this.directory], { cwd: this.directory });
  }

  /** Runs a program of the package, e.g. `apollo/cache`, against a server. */
  run(program: string, url: string, token: string, options: readonly string[] = []): Promise<Finished> {
    return run(process.execPath, [...options, `${program}.ts`, url, token], { cwd: this.directory });
  }

  async succeed(
    command: string,
    args: string[],
    more: NodeJS.ProcessEnv = {},
    cwd: string = this.directory,
  ): Promise<void> {
    const env = { ...process.env, ...more };
    const { status, stdout, stderr } = await run(command, args, { cwd, env });
    if (status !== 0) throw new Error(`${path.basename(command)} failed: ${stdout}${stderr}`);
  }
}
