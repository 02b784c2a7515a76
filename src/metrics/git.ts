import type { ChildProcess } from 'node:child_process';
import { gitPrograms, gitProgramsRunning, gitProgramsStarted } from '#src/metrics/registry.ts';
import { tracer } from '#src/tracing/tracer.ts';

/** Measures a run of the git program until it ends. */
export function observeGit(program: ChildProcess, args: readonly string[]): void {
  const command = commandOf(args);
  const begun = performance.now();
  const span = tracer()?.start(`git ${command}`, { attributes: { 'process.executable.name': 'git' } });
  gitProgramsStarted.inc({ command });
  gitProgramsRunning.inc();
  let isOver = false;
  const end = (code: number | null) => {
    if (isOver) return;
    isOver = true;
    gitProgramsRunning.dec();
    gitPrograms.observe({ command, outcome: code === 0 ? 'ok' : 'error' }, (performance.now() - begun) / 1000);
    if (code !== 0) span?.fail(new Error('exit'));
    span?.end();
  };
  program.once('exit', end);
  program.once('error', () => end(null));
}

/** The first word that is no option: the commands of git are few, and no client names them. */
function commandOf(args: readonly string[]): string {
  let at = 0;
  for (let arg = args[at]; arg?.startsWith('-'); arg = args[at]) at += ['-c', '-C'].includes(arg) ? 2 : 1;
  return args[at] ?? 'git';
}
