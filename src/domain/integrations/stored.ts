import { type Field, type FieldValue, readValue, type Settings } from '#src/domain/integrations/base/field.ts';
import type { Kind } from '#src/domain/integrations/base/kind.ts';
import { decrypt, encrypt } from '#src/platform/secrets.ts';

/** The columns that hold the settings of an integration. */
export interface StoredSettings {
  properties: unknown;
  secretsEncrypted: Uint8Array | null;
}

/** The values of all fields of a kind, secret ones among them; null for those without one. */
export function settingsOf(kind: Kind, { properties, secretsEncrypted }: StoredSettings, secret: string): Settings {
  const secrets = secretsEncrypted === null ? {} : (JSON.parse(decrypt(secretsEncrypted, secret)) as Settings);
  const values = { ...(properties as Settings), ...secrets };
  return Object.fromEntries(kind.fields.map(({ name }) => [name, values[name] ?? null]));
}

/** The values of the fields that are not secret. */
export function shownSettings({ fields }: Kind, properties: unknown): Record<string, FieldValue> {
  const values = properties as Settings;
  return Object.fromEntries(fields.filter(isShown).map(({ name }) => [name, values[name] ?? null]));
}

/** The settings of a new integration of a kind. */
export function standardSettings({ fields }: Kind): Settings {
  return Object.fromEntries(fields.map(({ name, standard = null }) => [name, standard]));
}

/** The columns of an integration with these settings. */
export function settingsColumns({ fields }: Kind, settings: Settings, secret: string) {
  const given = fields.filter(({ name }) => settings[name] != null);
  const valuesOf = (some: readonly Field[]) =>
    Object.fromEntries(some.map(({ name }) => [name, settings[name] ?? null]));
  const secrets = given.filter((field) => !isShown(field));
  return {
    properties: valuesOf(given.filter(isShown)),
    secretNames: secrets.map(({ name }) => name),
    secretsEncrypted: secrets.length === 0 ? null : encrypt(JSON.stringify(valuesOf(secrets)), secret),
  };
}

function isShown({ secret }: Field): boolean {
  return secret !== true;
}

/** Settings that were asked for, and what is wrong with them by the names of the fields. */
export interface ChangedSettings {
  settings: Settings;
  wrong: Record<string, string[]>;
}

/**
 * The settings after a change; what is not given stays. With another address that requests go to, the secrets of the one before are not
 * kept.
 */
export function changedSettings(
  { fields }: Kind,
  before: Settings,
  given: Readonly<Record<string, unknown>>,
): ChangedSettings {
  const settings: Record<string, FieldValue> = { ...before };
  const wrong: Record<string, string[]> = {};
  for (const field of fields) {
    if (given[field.name] === undefined) continue;
    const read = readValue(field, given[field.name]);
    if ('wrong' in read) wrong[field.name] = read.wrong;
    else settings[field.name] = read.value;
  }
  const isMoved = fields.some(({ name, reached }) => reached && settings[name] !== before[name]);
  for (const { name, secret } of fields) if (isMoved && secret && given[name] === undefined) settings[name] = null;
  return { settings, wrong };
}

/** The required fields that have no value. */
export function missingFields({ fields }: Kind, settings: Settings): string[] {
  return fields.filter(({ name, required }) => required && settings[name] == null).map(({ name }) => name);
}
