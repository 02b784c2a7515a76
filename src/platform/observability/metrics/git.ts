import type { Child } from '#src/git/program/child.ts';
import type { RunKind } from '#src/git/program/observe.ts';
import { gitPrograms, gitProgramsRunning, gitProgramsStarted } from '#src/platform/observability/metrics/registry.ts';
import { tracer } from '#src/platform/observability/tracing/tracer.ts';

/** Measures a run of the git program. One that stays to answer many questions is counted, but its duration is not observed. */
export function observeGit(program: Child, args: readonly string[], kind: RunKind = {}): void {
  const { codes = [0], isLasting = false } = kind;
  const command = commandOf(args);
  const begun = performance.now();
  const span = isLasting
    ? undefined
    : tracer()?.start(`git ${command}`, { attributes: { 'process.executable.name': 'git' } });
  gitProgramsStarted.inc({ command });
  gitProgramsRunning.inc();
  let isOver = false;
  const end = (code: number | null) => {
    if (isOver) return;
    isOver = true;
    gitProgramsRunning.dec();
    if (isLasting) return;
    const isAnswer = code !== null && codes.includes(code);
    gitPrograms.observe({ command, outcome: isAnswer ? 'ok' : 'error' }, (performance.now() - begun) / 1000);
    if (!isAnswer) span?.fail(new Error(code === null ? 'git was ended' : `git ended with ${code}`));
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
