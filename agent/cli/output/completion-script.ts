import type { CompletionStep } from '../completion-words.ts'

/**
 * The script for bash. It walks the words before the cursor: one that names a command goes a step
 * further, options and their values stay where they are.
 */
export function bashScript(steps: readonly CompletionStep[]): string {
  const cases = steps.map(
    ({ path, words }) =>
      `    ${pattern(path)}) echo ${quote(words.map((one) => one.word).join(' '))} ;;`,
  )
  return `# Completion of temblor for bash. Load it with: source <(temblor completion bash)
_temblor_words() {
  case "$1" in
${cases.join('\n')}
    *) return 1 ;;
  esac
}

_temblor() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" next i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${path:+$path }\${COMP_WORDS[i]}"
    if _temblor_words "$next" >/dev/null; then path="$next"; fi
  done
  COMPREPLY=($(compgen -W "$(_temblor_words "$path")" -- "$current"))
}

complete -o default -F _temblor temblor`
}

/** The same for zsh, with descriptions. */
export function zshScript(steps: readonly CompletionStep[]): string {
  const cases = steps.map(({ path, words }) => {
    const all = words.map(({ word, help }) => quote(`${word.replaceAll(':', '\\:')}:${help}`))
    return `    ${pattern(path)}) reply=(${all.join(' ')}) ;;`
  })
  return `#compdef temblor
# Completion of temblor for zsh. Load it with: source <(temblor completion zsh)
_temblor_words() {
  case "$1" in
${cases.join('\n')}
    *) return 1 ;;
  esac
}

_temblor() {
  local -a reply
  local prefix="" next i
  for ((i = 2; i < CURRENT; i++)); do
    next="\${prefix:+$prefix }\${words[i]}"
    if _temblor_words "$next"; then prefix="$next"; fi
  done
  _temblor_words "$prefix"
  _describe 'temblor' reply || _files
}

if [ "$funcstack[1]" = "_temblor" ]; then _temblor "$@"; else compdef _temblor temblor; fi`
}

function pattern(path: string): string {
  return path === '' ? "''" : quote(path)
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
