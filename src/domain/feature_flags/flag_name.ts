/** Characters of a name. */
const NAME_LENGTHS = { least: 2, most: 63 };

/** What is wrong with the name of a flag; empty if nothing is. */
export function nameErrors(name: string): string[] {
  if (name === '') return ["can't be blank"];
  if (name.length < NAME_LENGTHS.least) return [`is too short (minimum is ${NAME_LENGTHS.least} characters)`];
  if (name.length > NAME_LENGTHS.most) return [`is too long (maximum is ${NAME_LENGTHS.most} characters)`];
  if (/^[a-z]([-_a-z0-9]*[a-z0-9])?$/.test(name)) return [];
  return [
    "can contain only lowercase letters, digits, '_' and '-', must start with a letter, and cannot end with '-' or '_'",
  ];
}

/** Whether a flag can have such a name. */
export function isFlagName(value: unknown): value is string {
  return typeof value === 'string' && nameErrors(value).length === 0;
}
