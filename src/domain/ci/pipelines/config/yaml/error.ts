import { InvalidConfig } from '#src/domain/ci/pipelines/config/model.ts';

/** A place in the text; both count from 1. */
export interface Position {
  line: number;
  column: number;
}

/** What is wrong with the text as YAML, and where. */
export function wrong(problem: string, { line, column }: Position): InvalidConfig {
  return new InvalidConfig(`${problem} at line ${line}, column ${column}`);
}
