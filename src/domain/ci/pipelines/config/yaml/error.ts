import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';

/** A position in the text; both numbers start at 1. */
export interface Position {
  line: number;
  column: number;
}

/** The error for invalid YAML at a position. */
export function wrong(problem: string, { line, column }: Position): InvalidConfig {
  return new InvalidConfig(`${problem} at line ${line}, column ${column}`);
}
