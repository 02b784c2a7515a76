import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Begins with the files of these names: begun last, a long one keeps one worker busy when the others have nothing left to do. */
export function longestFirst(names: readonly string[]): typeof BaseSequencer {
  const isLongest = ({ moduleId }: TestSpecification) =>
    names.some((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return class extends BaseSequencer {
    override async sort(all: TestSpecification[]): Promise<TestSpecification[]> {
      const others = all.filter((file) => !isLongest(file));
      return [...all.filter(isLongest), ...(await super.sort(others))];
    }
  };
}
