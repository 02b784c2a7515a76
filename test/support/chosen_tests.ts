import { type RunnerTask, type RunnerTestFile, type RunnerTestSuite, TestRunner } from 'vitest';

type Tell = (files: RunnerTestFile[]) => unknown;

/**
 * Vitest's runner, but for one thing: tests that `--tagsFilter` leaves out are not there at all, where they would count as skipped. Only a
 * file of which nothing would be left keeps them: it better begins with `// @module-tag long`, so that it is not even loaded.
 */
export default class ChosenTests extends TestRunner {
  #tell: Tell | undefined;

  /** Vitest puts a function here that tells the reporters of what a file has, and calls it before the tests run. */
  set onCollected(tell: Tell) {
    this.#tell = tell;
  }

  get onCollected(): Tell | undefined {
    const tell = this.#tell;
    if (tell === undefined) return undefined;
    return (files) => {
      for (const file of files) if (isChosen(file)) leaveOut(file);
      return tell(files);
    };
  }
}

function leaveOut(suite: RunnerTestSuite): void {
  suite.tasks = suite.tasks.filter(isChosen);
  for (const task of suite.tasks) if (task.type === 'suite') leaveOut(task);
}

function isChosen(task: RunnerTask): boolean {
  return task.type === 'test' ? TestRunner.matchesTags(task.tags ?? []) : task.tasks.some(isChosen);
}
