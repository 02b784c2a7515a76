import { InvalidConfig } from '#src/domain/ci/pipelines/config/model.ts';

/** A place in the text; both count from 1. */
export interface Place {
  line: number;
  column: number;
}

/** What is wrong with the text as YAML, and where. */
export function wrong(problem: string, { line, column }: Place): InvalidConfig {
  return new InvalidConfig(`${problem} at line ${line}, column ${column}`);
}
