import type { Check } from '#rest/engine/route.ts';

/** Parameters that must not be empty if they are there. */
export const notEmpty =
  (...names: readonly string[]): Check =>
  (given) =>
    names.flatMap((name) => {
      const value = given[name];
      return value === null || (typeof value === 'string' && value.trim() === '') ? [`${name} is empty`] : [];
    });
