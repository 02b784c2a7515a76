/**
 * Compares versions by Semantic Versioning, with any number of numbers: below 0 if the first is lower. What follows `+` does not
 * count, and letter case of labels neither.
 */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [partsOf(one), partsOf(other)];
  for (let at = 0; at < Math.max(left.numbers.length, right.numbers.length); at += 1) {
    const difference = (left.numbers[at] ?? 0) - (right.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return compareLabels(left.labels, right.labels);
}

/** Whether a version comes before a release. */
export function isEarly(version: string): boolean {
  return partsOf(version).labels.length > 0;
}

function partsOf(version: string): { numbers: number[]; labels: string[] } {
  const [core = '', ...labels] = version.replace(/^v/, '').replace(/\+.*$/s, '').toLowerCase().split('-');
  const numbers = core.split('.').map((number) => Number.parseInt(number, 10) || 0);
  return { numbers, labels: labels.length === 0 ? [] : labels.join('-').split('.') };
}

function compareLabels(left: readonly string[], right: readonly string[]): number {
  if (left.length === 0 || right.length === 0) return right.length - left.length;
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const [one, other] = [left[at], right[at]];
    if (one === undefined) return -1;
    if (other === undefined) return 1;
    if (one === other) continue;
    const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
    if (isNumber && isOtherNumber) return Number(one) - Number(other) || one.length - other.length;
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    return one < other ? -1 : 1;
  }
  return 0;
}
