--- `theano completion bash`: words for the shell: `eval "$(theano completion bash)"`.
-- @module theano.runner.completion
local M = {}

--- The words as bash reads them; what is installed is made of this, where argparse is not.
M.bash = [[
_theano() {
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} options=
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W "run sweep runs plot report doctor cache bench completion top -e -i -v -h" -- "$word")
      $(compgen -f -X '!*.lua' -- "$word") $(compgen -d -- "$word"))
    return
  fi
  case $command in
    run) options="--runs --dir --resume --help" ;;
    sweep) options="--jobs --runs --random --seed --halving --budget --eta --timeout --print-jobs --sbatch" ;;
    runs) options="--runs --sort --down --most --all --json --help" ;;
    plot) options="--metric -x --output --log --help" ;;
    report) options="--output --help" ;;
    cache) options="info clear --help" ;;
    completion) options="bash" ;;
  esac
  COMPREPLY=($(compgen -W "$options" -- "$word") $(compgen -f -- "$word"))
}
complete -o filenames -F _theano theano
]]

function M.main(...)
  local p = require("theano.runner.words")("theano completion"):description("Prints a completion for a shell.")
  p:argument("shell", "bash"):choices({ "bash" })
  p:parse({ ... })
  io.write(M.bash)
  return 0
end

return M
