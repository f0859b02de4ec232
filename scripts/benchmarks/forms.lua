-- For wrk: posts a body, and counts the answers that aren't the expected one.
local file = io.open(os.getenv("FORM_BODY"), "rb")
wrk.body = file:read("*a")
file:close()
wrk.method = "POST"
wrk.headers["Content-Type"] = os.getenv("FORM_TYPE")
local expected = os.getenv("FORM_ANSWER")
local threads = {}
wrong = 0

function setup(thread) table.insert(threads, thread) end

function response(status, headers, body)
    if status ~= 200 or body ~= expected then wrong = wrong + 1 end
end

function done(summary)
    local wrong, errors = 0, summary.errors
    for _, thread in ipairs(threads) do wrong = wrong + thread:get("wrong") end
    wrong = wrong + errors.connect + errors.read + errors.write + errors.timeout
    print(string.format("RESULT %d %d %d", summary.requests, summary.duration, wrong))
end
