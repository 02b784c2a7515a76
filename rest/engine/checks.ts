import type { Check } from '#rest/engine/route.ts';

/** Parameters that must not be empty if they are there. */
export const notEmpty =
  (...names: readonly string[]): Check =>
  (given) =>
    names.flatMap((name) => {
      const value = given[name];
      return value === null || (typeof value === 'string' && value.trim() === '') ? [`${name} is empty`] : [];
    });

/** Parameters of which all or none must be there. */
export const allOrNone =
  (...names: readonly string[]): Check =>
  (given) => {
    const present = names.filter((name) => given[name] !== undefined).length;
    const isWhole = present === 0 || present === names.length;
    return isWhole ? [] : [`${names.join(', ')} provide all or none of parameters`];
  };
