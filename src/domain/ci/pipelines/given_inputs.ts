import type { Raw } from '#src/domain/ci/pipelines/config/base/values.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

/** Inputs of one pipeline, characters of a name, and of all of them together, as JSON. */
const MAX_INPUTS = 20;
const MAX_NAME_LENGTH = 255;
const MAX_CHARACTERS = 64 * 1024;

/** The values of inputs that somebody gave, by their names. Throws ValidationFailed for anything that cannot be that. */
export function readInputs(value: unknown): Raw {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw refused('must be an object of names and values');
  const inputs = value as Raw;
  const names = Object.keys(inputs);
  if (names.length > MAX_INPUTS) throw refused(`must be at most ${MAX_INPUTS}`);
  const odd = names.find((name) => name.length > MAX_NAME_LENGTH || !/^[\w-]+$/.test(name) || !isValue(inputs[name]));
  if (odd !== undefined)
    throw refused(`${odd.slice(0, MAX_NAME_LENGTH)} must be a text, a number, true, false or a list`);
  if (JSON.stringify(inputs).length > MAX_CHARACTERS) throw refused(`are larger than ${MAX_CHARACTERS} characters`);
  return inputs;
}

function isValue(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) || Array.isArray(value);
}

function refused(why: string): ValidationFailed {
  return new ValidationFailed({ inputs: [why] });
}
