import { plainLetters, trimEnds } from '#src/base/text.ts';

/** Characters of the longest path. */
const MAX_PATH_LENGTH = 255;

/** Converts "My Project!" to "my-project", and "Müller Straße" to "muller-strasse". */
export function pathFrom(name: string): string {
  // Some letters become two, so the path may become longer than the name.
  return trimEnds(
    plainLetters(name)
      .replace(/[^a-z0-9_.-]+/g, '-')
      .slice(0, MAX_PATH_LENGTH),
    '-.',
  );
}
