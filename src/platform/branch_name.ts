/** Whether git takes it as the name of a branch: the rules of git-check-ref-format. */
export function isBranchName(name: string): boolean {
  return (
    name.length <= 255 &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: git refuses them
    !/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\.lock(\/|$)|(^|\/)\.|^[-/]|[./]$/.test(name) &&
    name !== '@'
  );
}
